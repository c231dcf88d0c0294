# #region serve
npx agent-connectors-sandbox --port 4010
# #endregion

# #region fault
curl -sS -X POST http://127.0.0.1:4010/_sandbox/faults -d '{"kind": "502", "rootField": "issues"}'
curl -sS http://127.0.0.1:4010/_sandbox/requests
# #endregion

# #region local
export LINEAR_API_KEY=lin_api_sandbox_full_access
export AGENT_CONNECTORS_ENDPOINTS='{"linear": "http://127.0.0.1:4010/linear"}'
npx agent-connectors connectors execute --local '{"name":"linear","entity":"teams","action":"list"}'
# #endregion

# #region register
node --import agent-connectors-sandbox/register issues.mjs
# #endregion

# #region vendors
npx agent-connectors-sandbox --port 4010 --vendors ./dist/vendor.js   # or the name of a package
# #endregion

# #region revoke
curl -sS -X POST http://127.0.0.1:4010/_sandbox/revoke -d '{"secret": "lin_api_sandbox_full_access"}'
# #endregion
