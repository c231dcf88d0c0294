#!/usr/bin/env bash
# Guess: LangChain's `MarkdownHeaderTextSplitter` cuts at headings and leaves the text between them as it is.
# Happens (langchain-text-splitters 1.1.3): it strips every line, also in fenced code: the indentation of Python and
#   YAML is gone and nested lists become flat. `strip_headers=False` does not change that.
# Why it matters: an agent gets code that does not run or means something else, here a deletion that has lost its
#   loop, and an excerpt that cannot be found in the document it cites.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet langchain-text-splitters==1.1.3
cat > probe.py <<'PY'
from langchain_text_splitters import MarkdownHeaderTextSplitter

code = "```yaml\non:\n  push:\n    tags: v1\n```"
text = f"# Clean up\n\n```py\nfor row in rows:\n    if row.old:\n        archive(row)\n    delete(row)\n```\n\n{code}\n\n- a\n  - b\n"
for strip_headers in (True, False):
    splitter = MarkdownHeaderTextSplitter([("#", "title")], strip_headers=strip_headers)
    content = "\n".join(chunk.page_content for chunk in splitter.split_text(text))
    print(f"langchain-text-splitters 1.1.3, strip_headers={strip_headers}:\n{content}\n")
    assert "for row in rows:\nif row.old:\narchive(row)\ndelete(row)" in content
    assert "on:\npush:\ntags: v1" in content and "- a\n- b" in content
PY
venv/bin/python probe.py
