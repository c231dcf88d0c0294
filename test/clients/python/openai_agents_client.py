import asyncio
import json
import os

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI


async def main():
    set_tracing_disabled(True)
    server = json.loads(os.environ["SERVER"])
    client = AsyncOpenAI(api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
    async with MCPServerStdio(params=server, client_session_timeout_seconds=60) as connected:
        agent = Agent(name="reader", model=model, mcp_servers=[connected])
        result = await Runner.run(agent, "Read the issues.", max_turns=40)
        print(result.final_output)


asyncio.run(main())
