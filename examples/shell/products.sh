# #region install
npm init --yes
npm pkg set type=module
npm install agent-connectors agent-connectors-service agent-connectors-sandbox hono @hono/node-server
npm install @photostructure/sqlite   # only on Node before 22.16, which does not include SQLite
npm install --save-dev typescript @types/node
# #endregion

# #region service
export AGENT_CONNECTORS_ENDPOINTS='{"linear":"http://127.0.0.1:4010/linear","google-drive":"http://127.0.0.1:4010/google-drive","granola":"http://127.0.0.1:4010/granola"}'
export AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID=sandbox-client
export AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET=sandbox-client-secret
export AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_ID=100000000001-sandbox.apps.googleusercontent.com
export AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_SECRET=GOCSPX-sandbox-secret
npx agent-connectors-service --data ./data --create-key --allow-host localhost
# #endregion

# #region register
(
set -eo pipefail
umask 077
field() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }

AGENT_CONNECTORS_BASE_URL=http://127.0.0.1:4020
AGENT_CONNECTORS_CLIENT_ID=$(field client_id < data/client.json)
AGENT_CONNECTORS_CLIENT_SECRET=$(field client_secret < data/client.json)
export AGENT_CONNECTORS_BASE_URL AGENT_CONNECTORS_CLIENT_ID AGENT_CONNECTORS_CLIENT_SECRET

product=$(npx agent-connectors-service create-client --name lantern --scopes read,manage --data ./data --json)
client=$(field client_id <<< "$product")
secret=$(field client_secret <<< "$product")

npx agent-connectors connect origins "{\"client_id\":\"$client\",\"origins\":[\"http://localhost:3000\"]}" > /dev/null
key=$(npx agent-connectors connect key "{\"client_id\":\"$client\"}" | field key)
webhook=$(npx agent-connectors webhooks create '{"url":"http://localhost:3000/webhooks"}')
webhook_id=$(field id <<< "$webhook")
webhook_secret=$(field secret <<< "$webhook")

cat > .env <<EOF
AGENT_CONNECTORS_BASE_URL=$AGENT_CONNECTORS_BASE_URL
AGENT_CONNECTORS_CLIENT_ID=$client
AGENT_CONNECTORS_CLIENT_SECRET=$secret
CONNECT_KEY=$key
WEBHOOK_ID=$webhook_id
WEBHOOK_SECRET=$webhook_secret
EOF
echo 'Wrote .env'
)
# #endregion

# #region start
npx tsc
node --env-file=.env dist/server.js
# #endregion

# #region client
set -a; . ./.env; set +a
# #endregion

# #region webhooks
npx agent-connectors webhooks test "{\"id\":\"$WEBHOOK_ID\"}"
# #endregion

# #region deliveries
npx agent-connectors webhooks deliveries "{\"id\":\"$WEBHOOK_ID\"}" --pretty
# #endregion

# #region connectors
npx agent-connectors connectors list '{"workspace":"user-1"}' --pretty
# #endregion

# #region revoke
curl -sS -X POST http://127.0.0.1:4010/_sandbox/revoke -d '{"secret": "grn_sandbox_full_access"}'
# #endregion
