# #region dev
npx agent-connectors-service --dev   # in memory; prints a client id and secret, and the console's address
# #endregion

# #region sandbox
npx agent-connectors-sandbox --port 4010
# #endregion

# #region dev-sandbox
AGENT_CONNECTORS_ENDPOINTS='{"linear":"http://127.0.0.1:4010/linear"}' npx agent-connectors-service --dev
# #endregion

# #region key
export AGENT_CONNECTORS_KEY="$(openssl rand -base64 32)"   # keep it where you keep secrets
# #endregion

# #region start
npx agent-connectors-service --data ./data
# #endregion

# #region first-client
npx agent-connectors login - < data/client.json   # saves the client's id and secret for you
rm data/client.json
# #endregion

# #region client
npx agent-connectors-service create-client --name "nightly report" --data ./data --json
npx agent-connectors-service list-clients --data ./data
# #endregion

# #region health
curl -sS http://127.0.0.1:4020/health
curl -sS http://127.0.0.1:4020/ready
# #endregion

# #region login
export AGENT_CONNECTORS_BASE_URL=http://127.0.0.1:4020
npx agent-connectors login   # asks for the client id and secret
npx agent-connectors whoami
# #endregion

# #region workspace
npx agent-connectors workspaces create '{"name":"sales"}'
# #endregion

# #region create
cat <<EOF | npx agent-connectors connectors create -
{"connector_type": "linear", "name": "Issues", "credentials": {"api_key": "$LINEAR_API_KEY"}}
EOF
# #endregion

# #region execute
npx agent-connectors connectors check '{"name":"Issues"}'
npx agent-connectors connectors execute '{"name":"Issues","entity":"issues","action":"list","params":{"first":5}}'
# #endregion

# #region backup
npx agent-connectors-service backup --data ./data --to ./backup
# #endregion

# #region audit
npx agent-connectors-service verify-audit --data ./data
# #endregion

# #region person
npx agent-connectors-service person export ada.jsonl --data ./data --about ada@example.com --about 'Ada Lovelace'
npx agent-connectors-service person erase --yes --data ./data --about ada@example.com --about 'Ada Lovelace'
# #endregion

# #region tables
npx agent-connectors-service export-tables ./tables --data ./data
# #endregion

# #region rotate
npx agent-connectors-service rotate-key --data ./data
# #endregion

# #region objects
export AGENT_CONNECTORS_OBJECTS=s3://my-bucket/connectors   # or file:///var/lib/connectors/texts
export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… AWS_REGION=eu-central-1
export AWS_ENDPOINT_URL_S3=https://minio.internal:9000      # for servers other than AWS; buckets are named in paths
# #endregion
