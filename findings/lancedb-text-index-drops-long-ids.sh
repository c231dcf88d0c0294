#!/usr/bin/env bash
# Guess: the default full-text index of LanceDB finds every word that a text contains, at least words in one piece.
# Happens (lancedb 0.40.0): words of 40 characters or more are left out of the index and of queries (`max_token_length`),
#   so a Google Drive id (44), a SHA-1 (40) and a SHA-256 (64) are never found, while a UUID (36, in pieces) is. Rows
#   added after the index are searched without it, but with the same rule.
# Why it matters: "which document links to this file?" and "where was this commit deployed?" get no hits, without an
#   error or a note. `max_token_length=None` in `FTS` keeps them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet lancedb==0.40.0
cat > probe.py <<'PY'
import lancedb
from lancedb.index import FTS

ids = {
    "drive": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
    "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    "sha1": "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
    "uuid": "9a1b7c56-2c8e-4f0e-9f0b-3b7d5a1c2e4f",
    "short": "86f7e437",
}
found = {}
for length in (40, None):
    table = lancedb.connect(f"db-{length}").create_table("texts", [{"text": f"see {id} there"} for id in ids.values()])
    table.create_index("text", config=FTS() if length else FTS(max_token_length=None))
    search = lambda query: table.search(query, query_type="fts").limit(9).to_list()
    found[length] = [name for name, id in ids.items() if any(id in row["text"] for row in search(id))]
print("lancedb 0.40.0, default:", found[40], "| without a limit:", found[None])
assert found[40] == ["uuid", "short"] and found[None] == list(ids)
PY
venv/bin/python probe.py
