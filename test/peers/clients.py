"""Clients for Python of two integration platforms."""

import asyncio
import os
import sys

url, scenario, peer = sys.argv[1:4]
os.environ |= {"SDK_DEV_ADP_API_HOST": url, "AIRBYTE_CLIENT_ID": "id", "AIRBYTE_CLIENT_SECRET": "secret"}


async def composio():
    from composio import Composio

    client = Composio(api_key="none", base_url=url)
    client.tools.execute("LINEAR_LIST_LINEAR_TEAMS", arguments={}, user_id="user", version="20260101_00")


async def agent_sdk():
    from airbyte_agent_sdk import connect

    connector_id = "00000000-0000-4000-8000-000000000000"
    async with connect("linear", connector_id=connector_id, workspace_name="main") as linear:
        await linear.issues.context_store_search(query={}, limit=3)


try:
    asyncio.run(composio() if peer == "composio" else agent_sdk())
    print("outcome: completes")
except Exception as error:
    status = "" if peer == "composio" else " " + str(error).split("HTTP ")[1][:3]
    print(f"outcome: raises {type(error).__name__}{status}")
