# #region install
npm init --yes
npm pkg set type=module
npm install agent-connectors agent-connectors-service agent-connectors-sandbox hono @hono/node-server
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
umask 077   # what follows is readable by you alone
npx agent-connectors-service create-client --name lantern --scopes read,manage --data ./data --json > product.json

# The administrator's client, which the service created on its first start.
value() { node -p "JSON.parse(fs.readFileSync('$1', 'utf8')).$2"; }
export AGENT_CONNECTORS_BASE_URL=http://127.0.0.1:4020
export AGENT_CONNECTORS_CLIENT_ID=$(value data/client.json client_id)
export AGENT_CONNECTORS_CLIENT_SECRET=$(value data/client.json client_secret)

client=$(value product.json client_id)
npx agent-connectors connect origins "{\"client_id\":\"$client\",\"origins\":[\"http://localhost:3000\"]}"
npx agent-connectors connect key "{\"client_id\":\"$client\"}" > key.json
npx agent-connectors webhooks create '{"url":"http://localhost:3000/webhooks"}' > webhook.json

cat > .env <<EOF
AGENT_CONNECTORS_BASE_URL=$AGENT_CONNECTORS_BASE_URL
AGENT_CONNECTORS_CLIENT_ID=$client
AGENT_CONNECTORS_CLIENT_SECRET=$(value product.json client_secret)
CONNECT_KEY=$(value key.json key)
WEBHOOK_SECRET=$(value webhook.json secret)
EOF
rm product.json key.json webhook.json
# #endregion

# #region start
npx tsc
node --env-file=.env dist/server.js
# #endregion
