"""The vendor's client for Python, synchronous, as a bot and as a person."""

import os
import time

from recorder import call, refused
from slack_sdk import WebClient

bot = WebClient(token=os.environ["SLACK_BOT_TOKEN"])
person = WebClient(token=os.environ["SLACK_USER_TOKEN"])

me = call("auth_test", bot.auth_test, lambda a: a["bot_id"].startswith("B"))
call("auth_test as a person", person.auth_test, lambda a: a["user"] == "mira")
channels = call("conversations_list", bot.conversations_list, lambda a: len(a["channels"]) >= 2)["channels"]
pumps = next(one["id"] for one in channels if one["name"] == "pumps")
members = call("users_list", bot.users_list, lambda a: len(a["members"]) >= 3)["members"]
dev = next(one["id"] for one in members if one["name"] == "dev")
call("users_info", lambda: bot.users_info(user=dev), lambda a: a["user"]["real_name"] == "Dev Sharma")
call("users_lookupByEmail", lambda: bot.users_lookupByEmail(email="dev@northwind.example"), lambda a: a["user"]["id"] == dev)
call("users_profile_get", lambda: bot.users_profile_get(user=dev), lambda a: a["profile"]["title"] == "Engineer")
call("conversations_info", lambda: bot.conversations_info(channel=pumps), lambda a: a["channel"]["name"] == "pumps")
call("conversations_members", lambda: bot.conversations_members(channel=pumps), lambda a: dev in a["members"])
pages = call(
    "conversations_history by pages",
    lambda: [page["messages"] for page in bot.conversations_history(channel=pumps, limit=1)],
    lambda found: len(found) > 1,
)
posted = call("chat_postMessage", lambda: bot.chat_postMessage(channel=pumps, text="From Python"))
ts = posted["ts"]
call("chat_postMessage in a thread", lambda: bot.chat_postMessage(channel=pumps, text="Re", thread_ts=ts))
blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Yes*"}}]
call("chat_postMessage with blocks", lambda: bot.chat_postMessage(channel=pumps, text="Yes", blocks=blocks), lambda a: a["message"]["blocks"][0]["type"] == "section")
refused("chat_postMessage nowhere", lambda: bot.chat_postMessage(channel="C0000000000", text="x"), "channel_not_found")
refused("chat_postMessage with bad blocks", lambda: bot.chat_postMessage(channel=pumps, blocks=[{"type": "x"}]), "invalid_blocks")
call("chat_update", lambda: bot.chat_update(channel=pumps, ts=ts, text="Changed"), lambda a: a["text"] == "Changed")
call("chat_getPermalink", lambda: bot.chat_getPermalink(channel=pumps, message_ts=ts), lambda a: a["permalink"].startswith(me["url"]))
call("conversations_replies", lambda: bot.conversations_replies(channel=pumps, ts=ts), lambda a: len(a["messages"]) == 2)
call("reactions_add", lambda: bot.reactions_add(channel=pumps, timestamp=ts, name="eyes"))
refused("reactions_add twice", lambda: bot.reactions_add(channel=pumps, timestamp=ts, name="eyes"), "already_reacted")
call("reactions_get", lambda: bot.reactions_get(channel=pumps, timestamp=ts), lambda a: a["message"]["reactions"][0]["count"] == 1)
call("reactions_remove", lambda: bot.reactions_remove(channel=pumps, timestamp=ts, name="eyes"))
call("pins_add", lambda: bot.pins_add(channel=pumps, timestamp=ts))
call("pins_list", lambda: bot.pins_list(channel=pumps), lambda a: len(a["items"]) == 1)
upload = call("files_upload_v2", lambda: bot.files_upload_v2(channel=pumps, content="bytes", filename="note.txt"), lambda a: a["ok"])
call("files_info", lambda: bot.files_info(file=upload["file"]["id"]), lambda a: a["file"]["size"] == 5)
call("files_list", lambda: bot.files_list(channel=pumps), lambda a: len(a["files"]) == 1)
made = call("conversations_create", lambda: bot.conversations_create(name="from-python"))
room = made["channel"]["id"]
call("conversations_invite", lambda: bot.conversations_invite(channel=room, users=[dev]))
call("conversations_setTopic", lambda: bot.conversations_setTopic(channel=room, topic="Snakes"))
call("conversations_rename", lambda: bot.conversations_rename(channel=room, name="from-python-3"))
call("conversations_archive", lambda: bot.conversations_archive(channel=room))
refused("chat_postMessage in an archive", lambda: bot.chat_postMessage(channel=room, text="x"), "is_archived")
opened = call("conversations_open", lambda: bot.conversations_open(users=[dev]))
call("chat_postMessage to a person", lambda: bot.chat_postMessage(channel=opened["channel"]["id"], text="Hi"))
later = call("chat_scheduleMessage", lambda: bot.chat_scheduleMessage(channel=pumps, text="Later", post_at=int(time.time()) + 3600))
call("chat_scheduledMessages_list", bot.chat_scheduledMessages_list, lambda a: len(a["scheduled_messages"]) == 1)
call("search_messages", lambda: person.search_messages(query="invoices"), lambda a: a["messages"]["total"] == 1)
refused("search_messages as a bot", lambda: bot.search_messages(query="invoices"), "not_allowed_token_type")
call("team_info", bot.team_info, lambda a: a["team"]["name"] == "Northwind Supply")
call("chat_delete", lambda: bot.chat_delete(channel=pumps, ts=ts))
