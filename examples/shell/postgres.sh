# #region url
export DATABASE_URL=postgres://connectors@db.internal/connectors   # an empty database, encoding UTF8
# #endregion

# #region answers
npx agent-connectors-service --no-replication   # answers; as many as you like
# #endregion

# #region replicates
npx agent-connectors-service   # answers and replicates
# #endregion

# #region move
env -u DATABASE_URL npx agent-connectors-service export records.jsonl --data ./data
npx agent-connectors-service move-state --data ./data    # state.db is put aside
npx agent-connectors-service import records.jsonl --data ./data
# #endregion

# #region backup
PGOPTIONS="-c agent_connectors.scope=all" \
  pg_dump --enable-row-security --format=custom --file=connectors.dump "$DATABASE_URL"
# #endregion

# #region restore
pg_restore --no-owner --no-comments --exit-on-error --single-transaction --dbname="$DATABASE_URL" connectors.dump
# #endregion
