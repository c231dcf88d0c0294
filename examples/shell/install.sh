# #region first
npm init --yes
npm install agent-connectors agent-connectors-sandbox
# #endregion

# #region service
npm install agent-connectors agent-connectors-service
npm install @photostructure/sqlite   # only on Node before 22.16, which does not include SQLite
# #endregion

# #region hosted
npm install agent-connectors agent-connectors-service agent-connectors-sandbox
npm install @photostructure/sqlite   # only on Node before 22.16, which does not include SQLite
# #endregion

# #region testing
npm install agent-connectors agent-connectors-sandbox
npm install --save-dev vitest
# #endregion

# #region msw
npm install --save-dev msw@2   # or msw@3, on Node 22.12 or later
# #endregion

# #region connector
mkdir larder && cd larder
npm init --yes
npm pkg set type=module
npm install agent-connectors agent-connectors-sandbox zod
npm install --save-dev typescript vitest @types/node
# #endregion

# #region mcp
npm install agent-connectors @modelcontextprotocol/server
# #endregion

# #region ai-sdk
npm install agent-connectors ai
# #endregion

# #region openai
npm install agent-connectors openai @openai/agents
# #endregion

# #region anthropic
npm install agent-connectors @anthropic-ai/sdk
# #endregion

# #region langchain
npm install agent-connectors @langchain/core
# #endregion

# #region playwright
npm install --save-dev @playwright/test
# #endregion
