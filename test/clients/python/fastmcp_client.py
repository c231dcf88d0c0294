"""OpenAI Agents, connected to a FastMCP proxy of the server."""

import asyncio
import json
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from openai import AsyncOpenAI


async def main():
    set_tracing_disabled(True)
    client = AsyncOpenAI(api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
    params = {"command": sys.executable, "args": [__file__, "proxy"], "env": dict(os.environ)}
    async with MCPServerStdio(params=params, client_session_timeout_seconds=60) as connected:
        agent = Agent(name="reader", model=model, mcp_servers=[connected])
        result = await Runner.run(agent, "Read the issues.", max_turns=40)
        print(result.final_output)


def proxy() -> FastMCP:
    return create_proxy({"mcpServers": {"connectors": json.loads(os.environ["SERVER"])}})


if sys.argv[1:] == ["proxy"]:
    proxy().run(show_banner=False)
else:
    asyncio.run(main())
