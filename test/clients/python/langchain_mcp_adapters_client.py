import asyncio
import json
import os

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main():
    server = json.loads(os.environ["SERVER"])
    client = MultiServerMCPClient({"connectors": {"transport": "stdio", **server}})
    model = ChatOpenAI(model="scripted", api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    agent = create_agent(model, await client.get_tools())
    messages = [{"role": "user", "content": "Read the issues."}]
    result = await agent.ainvoke({"messages": messages}, {"recursion_limit": 100})
    print(result["messages"][-1].content)


asyncio.run(main())
