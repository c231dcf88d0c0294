#!/usr/bin/env bash
# Guess: MarkdownHeaderTextSplitter of LangChain returns code blocks and nested lists as they are.
# Happens (langchain-text-splitters 1.1.3): every line is stripped, inside code blocks too, so Python and YAML lose
#   their indentation and nested lists become flat. A closing "##" of a heading stays in the metadata ("Setup ##").
# Why it matters: an agent that retrieves the chunk reads YAML with another meaning and Python that does not run.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-text-splitters==1.1.3
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

from langchain_text_splitters import MarkdownHeaderTextSplitter

text = "## Setup ##\n\n```yaml\nserver:\n  tls:\n    port: 443\n  port: 80\n```\n\n- fruit\n  - apple\n"
(chunk,) = MarkdownHeaderTextSplitter([("##", "heading")]).split_text(text)
print("langchain-text-splitters", version("langchain-text-splitters"), chunk.metadata)
print(chunk.page_content)
same = "server:\ntls:\nport: 443\nport: 80" in chunk.page_content and "- fruit\n- apple" in chunk.page_content
sys.exit(not same or chunk.metadata != {"heading": "Setup ##"})
PY
venv/bin/python probe.py
