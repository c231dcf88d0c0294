import asyncio
import json
import os

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main():
    server = json.loads(os.environ["SERVER"])
    toolset = MCPToolset(StdioTransport(server["command"], server["args"], env=server["env"]))
    provider = OpenAIProvider(api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    agent = Agent(OpenAIChatModel("scripted", provider=provider), toolsets=[toolset])
    result = await agent.run("Read the issues.")
    print(result.output)


asyncio.run(main())
