"""The vendor's asynchronous client for Python, which sends reads as GET, and its sender of webhooks."""

import asyncio
import os

from recorder import call, refused
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook import WebhookClient

loop = asyncio.new_event_loop()
bot = AsyncWebClient(token=os.environ["SLACK_BOT_TOKEN"], trust_env_in_session=True)


def run(make):
    return lambda: loop.run_until_complete(make())


call("auth_test", run(bot.auth_test), lambda a: a["ok"])
channels = call("conversations_list", run(bot.conversations_list), lambda a: len(a["channels"]) >= 2)["channels"]
pumps = next(one["id"] for one in channels if one["name"] == "pumps")
call("users_list", run(bot.users_list), lambda a: len(a["members"]) >= 3)
call("conversations_info", run(lambda: bot.conversations_info(channel=pumps)), lambda a: a["channel"]["name"] == "pumps")
call("conversations_history", run(lambda: bot.conversations_history(channel=pumps)), lambda a: a["messages"])
ts = call("chat_postMessage", run(lambda: bot.chat_postMessage(channel=pumps, text="Async")))["ts"]
call("conversations_replies", run(lambda: bot.conversations_replies(channel=pumps, ts=ts)), lambda a: len(a["messages"]) == 1)
call("reactions_add", run(lambda: bot.reactions_add(channel=pumps, timestamp=ts, name="tada")))
call("reactions_get", run(lambda: bot.reactions_get(channel=pumps, timestamp=ts)), lambda a: a["message"]["reactions"])
refused("conversations_info", run(lambda: bot.conversations_info(channel="C0000000000")), "channel_not_found")
call("chat_update", run(lambda: bot.chat_update(channel=pumps, ts=ts, text="Async 2")), lambda a: a["text"] == "Async 2")
call("chat_delete", run(lambda: bot.chat_delete(channel=pumps, ts=ts)))
call("emoji_list", run(bot.emoji_list), lambda a: a["ok"])
hook = WebhookClient(os.environ["SLACK_WEBHOOK_URL"])
call("webhook", lambda: hook.send(text="By webhook"), lambda a: a.status_code == 200 and a.body == "ok")
call("webhook without text", lambda: hook.send(text=""), lambda a: a.status_code == 400 and a.body == "no_text")
