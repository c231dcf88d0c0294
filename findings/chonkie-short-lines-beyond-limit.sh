#!/usr/bin/env bash
# Guess: chonkie's SentenceChunker keeps to `chunk_size` unless a single sentence is longer.
# Happens (chonkie 1.7.0): pieces with fewer than 12 characters (`min_characters_per_sentence`) are joined to the next until
#   a long one comes, without a look at the limit. A list of 500 short article numbers becomes one chunk, as does a text in
#   Japanese, whose full stops are not among the delimiters. The same list with longer lines is split well.
# Why it matters: embedding models cut what is too long without an error, so that a search finds the first numbers of a
#   price list and none of the others. Prose, with which chunkers are tried, shows nothing. Check `token_count` of each
#   chunk, or set `min_characters_per_sentence=1` and delimiters for your languages.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chonkie==1.7.0
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

from chonkie import SentenceChunker

limit = 512
texts = {
    "prose": "Read this longer sentence about the device now. " * 60,
    "short lines": "".join(f"SKU-{number:04}\n" for number in range(500)),
    "longer lines": "".join(f"SKU-{number:04} in stock\n" for number in range(500)),
    "Japanese": "これは最初の文です。" * 100,
}


def largest(text, **options):
    chunker = SentenceChunker(tokenizer="character", chunk_size=limit, chunk_overlap=0, **options)
    return max(chunk.token_count for chunk in chunker.chunk(text))


print("chonkie", version("chonkie"), "with a limit of", limit)
found = {name: largest(text) for name, text in texts.items()}
found["short lines, minimum of 1"] = largest(texts["short lines"], min_characters_per_sentence=1)
for name, size in found.items():
    print(f"{name}: the largest chunk has {size} characters")
beyond = [name for name, size in found.items() if size > limit]
sys.exit(beyond != ["short lines", "Japanese"])
PY
venv/bin/python probe.py
