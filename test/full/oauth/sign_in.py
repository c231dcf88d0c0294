"""Signs in with the official Python client; the test acts as the browser, through stdin."""

import asyncio
import sys
import time

import mcp
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

try:
    import httpx2 as httpx
    from mcp.client.auth import AuthorizationCodeResult
except ImportError:
    import httpx

    AuthorizationCodeResult = None

from urllib.parse import parse_qs, urlparse


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def say(*words):
    print(*words, flush=True)


async def hear():
    return (await asyncio.to_thread(sys.stdin.readline)).strip()


async def show(url):
    say("open", url)


async def wait_for_code():
    query = {name: values[0] for name, values in parse_qs(urlparse(await hear()).query).items()}
    if AuthorizationCodeResult is None:
        return query["code"], query["state"]
    return AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])


async def main(url, redirect_uri, document):
    storage = Storage()
    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="Python", redirect_uris=[redirect_uri], token_endpoint_auth_method="none"
        ),
        storage=storage,
        redirect_handler=show,
        callback_handler=wait_for_code,
        client_metadata_url=document or None,
    )
    async with httpx.AsyncClient(auth=provider, timeout=30) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with mcp.ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                say("client", storage.client.client_id)
                say("tools", *[tool.name for tool in (await session.list_tools()).tools])
                before = storage.tokens.refresh_token
                provider.context.token_expiry_time = time.time() - 1
                await session.list_tools()
                say("refreshed", before != storage.tokens.refresh_token)
                await hear()
                # Revoked by now: the client asks to sign in again, and its session belongs to the earlier grant.
                try:
                    await session.list_tools()
                except Exception:
                    say("ended")
        async with streamable_http_client(url, http_client=http) as streams:
            async with mcp.ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                say("again", *[tool.name for tool in (await session.list_tools()).tools])


asyncio.run(main(*sys.argv[1:]))
