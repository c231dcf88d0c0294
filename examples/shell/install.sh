# #region first
npm init --yes
npm install agent-connectors agent-connectors-sandbox
# #endregion

# #region library
npm install agent-connectors
# #endregion

# #region service
npm install agent-connectors agent-connectors-service
# #endregion

# #region service-alone
npm install agent-connectors-service
# #endregion

# #region sandbox
npm install --save-dev agent-connectors-sandbox
# #endregion

# #region testing
npm install --save-dev agent-connectors-sandbox vitest
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
