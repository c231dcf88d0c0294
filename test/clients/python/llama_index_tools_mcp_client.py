import asyncio
import json
import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main():
    server = json.loads(os.environ["SERVER"])
    client = BasicMCPClient(server["command"], args=server["args"], env=server["env"], timeout=60)
    tools = await McpToolSpec(client=client).to_tool_list_async()
    model = OpenAILike(
        model="scripted",
        api_key="x",
        api_base=os.environ["MODEL_URL"] + "/v1",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=200_000,
    )
    agent = FunctionAgent(tools=tools, llm=model, streaming=False)
    print(await agent.run("Read the issues.", max_iterations=40))


asyncio.run(main())
