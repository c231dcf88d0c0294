# #region import
npx agent-connectors connectors import @connectors.json --dry-run   # checks the file; changes and sends nothing
npx agent-connectors connectors import @connectors.json
rm connectors.json
# #endregion

# #region nango
(
set -eo pipefail
umask 077
nango() { curl -fsS -H "Authorization: Bearer $NANGO_SECRET_KEY" "https://api.nango.dev$1"; }

nango '/connections' |
  jq -r '.connections[] | @uri "/connections/\(.connection_id)?provider_config_key=\(.provider_config_key)&refresh_token=true"' |
  while read -r path; do nango "$path"; done |
  jq -s '
    {linear: "linear", "google-drive": "google-drive", "google-analytics": "google-analytics", gong: "gong",
      "gong-oauth": "gong", granola: "granola"} as $types
    | def client: $types[.provider] | gsub("-"; "_") | ascii_upcase
        | {client_id: $ENV[. + "_CLIENT_ID"], client_secret: $ENV[. + "_CLIENT_SECRET"]};
    {version: 1, connectors: map(select($types[.provider]) | client as $client | {
      connector_type: $types[.provider],
      name: "\(.provider_config_key) \(.connection_id)",
      workspace: "user-\(.tags.end_user_id // .end_user.id // .connection_id)",
      external_id: .connection_id,
      credentials: (.credentials | if .type == "API_KEY" then {api_key: .apiKey}
        elif .type == "BASIC" then {access_key: .username, access_key_secret: .password}
        elif .refresh_token and $client.client_id and $client.client_secret
        then $client + {refresh_token} else null end)
    })}' > connectors.json
)
# #endregion

# #region composio
(
set -eo pipefail
umask 077
cursor=''
while :; do
  page=$(curl -fsS -H "x-api-key: $COMPOSIO_API_KEY" \
    "https://backend.composio.dev/api/v3/connected_accounts?limit=100${cursor:+&cursor=$cursor}")
  printf '%s\n' "$page"
  cursor=$(jq -r '.next_cursor // "" | @uri' <<< "$page")
  [ -n "$cursor" ] || break
done |
  jq -s '
    {linear: "linear", googledrive: "google-drive", google_analytics: "google-analytics", gong: "gong",
      granola: "granola"} as $types
    | def client: $types[.toolkit.slug] | gsub("-"; "_") | ascii_upcase
        | {client_id: $ENV[. + "_CLIENT_ID"], client_secret: $ENV[. + "_CLIENT_SECRET"]};
    {version: 1, connectors: map(.items[] | select($types[.toolkit.slug]) | client as $client | {
      connector_type: $types[.toolkit.slug],
      name: "\(.toolkit.slug) \(.id)",
      workspace: "user-\(.user_id)",
      external_id: .id,
      credentials: (if .auth_config.is_composio_managed then null else .state.val
        | if .api_key // .generic_api_key then {api_key: (.api_key // .generic_api_key)}
          elif .username and .password then {access_key: .username, access_key_secret: .password}
          elif .refresh_token and $client.client_id and $client.client_secret
          then $client + {refresh_token} else null end end)
    })}' > connectors.json
)
# #endregion
