#!/usr/bin/env bash
# Guess: `upsert` of Chroma replaces a record: afterwards its metadata are those of the upsert.
# Happens (chromadb 1.5.9): metadata are merged. A key that the new version of the record lacks keeps its old value, and
#   filters go on finding the record by it; only a key sent as None disappears.
# Why it matters: a replica that upserts what a vendor returns never forgets a field that the vendor removed (an assignee,
#   a label, a reader), so that searches by it return records that no longer have it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
# Chroma's own dependencies include a Kubernetes client and an inference runtime, which nothing here needs.
venv/bin/pip install --quiet --disable-pip-version-check --no-deps chromadb==1.5.9
venv/bin/pip install --quiet --disable-pip-version-check numpy==2.4.1 pydantic==2.12.5 pydantic-settings==2.12.0 \
  pybase64==1.4.3 overrides==7.7.0 typing_extensions==4.15.0 tenacity==9.1.2 httpx==0.28.1 orjson==3.11.5 \
  jsonschema==4.26.0 grpcio==1.76.0 opentelemetry-api==1.39.1 opentelemetry-sdk==1.39.1 \
  opentelemetry-exporter-otlp-proto-grpc==1.39.1 pyyaml==6.0.3 bcrypt==5.0.0 tqdm==4.67.1 rich==14.2.0 2> pip.log ||
  (cat pip.log && false)
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import chromadb

issues = chromadb.EphemeralClient().create_collection("issues", embedding_function=None)
issues.upsert(ids=["ENG-1"], embeddings=[[1.0, 0.0]], metadatas=[{"state": "open", "assignee": "anna"}])
issues.upsert(ids=["ENG-1"], embeddings=[[1.0, 0.0]], metadatas=[{"state": "done"}])
without = issues.get(ids=["ENG-1"])["metadatas"][0]
still_hers = issues.get(where={"assignee": "anna"})["ids"]
issues.upsert(ids=["ENG-1"], embeddings=[[1.0, 0.0]], metadatas=[{"state": "done", "assignee": None}])
with_none = issues.get(ids=["ENG-1"])["metadatas"][0]
print("chromadb", version("chromadb"), "left out:", without, "found by assignee:", still_hers, "as None:", with_none)
kept = without == {"state": "done", "assignee": "anna"} and still_hers == ["ENG-1"]
sys.exit(not (kept and with_none == {"state": "done"}))
PY
venv/bin/python probe.py
