"""Python clients of Google, Gong and Linear."""

import asyncio
import sys
from urllib.parse import urlsplit

url, scenario, peer = sys.argv[1:4]


def google():
    from googleapiclient.discovery import build

    drive = build("drive", "v3", developerKey="key", client_options={"api_endpoint": url})
    drive.files().list().execute(num_retries=3 if peer.endswith("retries") else 0)


async def airbyte():
    import httpx

    send = httpx.AsyncHTTPTransport.handle_async_request

    async def send_here(transport, request):  # these connectors have no option for the address
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=urlsplit(url).port)
        return await send(transport, request)

    httpx.AsyncHTTPTransport.handle_async_request = send_here
    if peer == "airbyte-agent-gong":
        from airbyte_agent_gong import GongConnector
        from airbyte_agent_gong.models import GongAccessKeyAuthenticationAuthConfig

        keys = GongAccessKeyAuthenticationAuthConfig(access_key="key", access_key_secret="secret")
        await GongConnector(auth_config=keys).users.list()
    else:
        from airbyte_agent_linear import LinearConnector
        from airbyte_agent_linear.models import LinearAuthConfig

        await LinearConnector(auth_config=LinearAuthConfig(api_key="key")).teams.list()


try:
    google() if peer.startswith("google") else asyncio.run(airbyte())
    print("outcome: completes")
except Exception as error:
    print(f"outcome: raises {type(error).__name__}")
