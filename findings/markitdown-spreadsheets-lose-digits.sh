#!/usr/bin/env bash
# Guess: markitdown writes the numbers of a spreadsheet as they are, such as the order number 123456789012.
# Happens (markitdown 0.1.9): if one cell of the column is empty, it writes 1.234568e+11 for each of them; without an empty
#   cell, the number is whole. Numbers with more than six decimals are rounded: the latitude 52.5200066 becomes 52.520007.
# Why it matters: orders, customers and phone numbers of that column cannot be told apart any more, whether by a search or by
#   a model. It depends on a single empty cell, so that a test file shows nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'markitdown[xlsx]==0.1.9'
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import openpyxl
from markitdown import MarkItDown

rows = [["Order", "Linked", "Latitude"], [123456789012, 123456789012, 52.5200066]]
rows += [[123456789013, None, 48.1371079], [123456789014, 123456789014, 50.1106444]]
book = openpyxl.Workbook()
for row in rows:
    book.active.append(row)
book.save("file.xlsx")
lines = MarkItDown().convert("file.xlsx").text_content.splitlines()
table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
print("markitdown", version("markitdown"), "pandas", version("pandas"))
for line in table:
    print(line)
expected = [["123456789012", "1.234568e+11", "52.520007"], ["123456789014", "1.234568e+11", "50.110644"]]
sys.exit([table[2], table[4]] != expected)
PY
venv/bin/python -W ignore probe.py
