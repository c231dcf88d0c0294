# #region run
node first-call.mjs
# #endregion

# #region execute
npx agent-connectors connectors execute --local '{"name":"linear","entity":"issues","action":"list","params":{"first":5}}'
# #endregion

# #region describe
npx agent-connectors connectors describe --local '{"name":"linear"}'
# #endregion

# #region doctor
npx agent-connectors doctor --local   # who am I, what will fail, and how to fix it
# #endregion
