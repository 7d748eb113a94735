"""The client for asyncio: two companies side by side, and the requests to one of them as they arrive."""

import asyncio
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from diorama import AsyncDiorama  # noqa: E402


async def main() -> None:
    client = AsyncDiorama()
    blueprint = await client.worlds.sample_blueprint()
    worlds = await asyncio.gather(
        *(client.worlds.launch_and_wait(blueprint=blueprint, ttl_hours=1) for _ in range(2))
    )
    try:
        first = worlds[0]
        chat = next(twin for twin in first["twins"] if twin["service"] == "chat")
        async with client.worlds.stream_activity(first["world"]["id"], since="last_1h") as activity:
            arriving = asyncio.ensure_future(activity.__anext__())
            request = urllib.request.Request(
                f"{chat['base_url']}/api/auth.test", headers={"authorization": f"Bearer {chat['token']}"}
            )
            reply = await asyncio.get_running_loop().run_in_executor(None, urllib.request.urlopen, request)
            reply.close()
            seen = await asyncio.wait_for(arriving, 30)
        print(seen["service"], seen["operation"], seen["response"]["status"])
        assert seen["operation"] == "auth.test"
    finally:
        for world in worlds:
            await client.worlds.stop(world["world"]["id"])


asyncio.run(main())
