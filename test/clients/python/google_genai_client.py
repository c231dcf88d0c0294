import asyncio
import json
import os

from google import genai
from google.genai import types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(**json.loads(os.environ["SERVER"]))
    options = types.HttpOptions(base_url=os.environ["MODEL_URL"])
    client = genai.Client(api_key="x", http_options=options)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=40)
            config = {"tools": [session], "automatic_function_calling": calling}
            answer = await client.aio.models.generate_content(
                model="gemini-2.5-flash", contents="Read the issues.", config=config
            )
            print(answer.text)


asyncio.run(main())
