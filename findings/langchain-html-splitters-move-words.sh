#!/usr/bin/env bash
# Guess: the HTML splitters of LangChain return the text of a page in the order in which a person reads it.
# Happens (langchain-text-splitters 1.1.3): an element's own text is put in front of (HTMLHeaderTextSplitter) or behind
#   (HTMLSemanticPreservingSplitter) the text of the elements inside it: "Do <b>not</b> pay" becomes "Do pay, not" or
#   "not, Do pay". With the former, text that stands outside paragraphs moves to the chunk before the first heading.
# Why it matters: bold words, links and code inside sentences are everywhere in help centers. Chunks say the opposite of
#   the page, or a sentence is found under another heading, and no word is missing, so that no count shows it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-text-splitters==1.1.3 beautifulsoup4==4.15.0 lxml==6.1.3
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

from langchain_text_splitters import HTMLHeaderTextSplitter, HTMLSemanticPreservingSplitter

page = "<html><body><h1>Refunds</h1><p>Do <b>not</b> pay</p><h1>Orders</h1>Loose text</body></html>"
headers = [("h1", "heading")]
by_header = [
    (" ".join(chunk.page_content.split()), chunk.metadata.get("heading"))
    for chunk in HTMLHeaderTextSplitter(headers).split_text(page)
]
splitter = HTMLSemanticPreservingSplitter(headers, max_chunk_size=500)
preserving = [chunk.page_content for chunk in splitter.split_text(page)]
print("langchain-text-splitters", version("langchain-text-splitters"))
print("HTMLHeaderTextSplitter", by_header)
print("HTMLSemanticPreservingSplitter", preserving)
same = ("Do pay not", "Refunds") in by_header and by_header[0] == ("Loose text", None) and "not Do pay" in preserving
sys.exit(not same)
PY
venv/bin/python probe.py 2> warnings.log || { cat warnings.log; exit 1; }
