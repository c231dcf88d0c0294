#!/usr/bin/env bash
# Guess: kreuzberg reads a tab of a Word file as a space or a tab, and a non-breaking hyphen as a hyphen. A cell of a
#   spreadsheet that shows 30:00 hours is 30:00 or 1.25.
# Happens (kreuzberg 4.10.4): both are left out, so "Total<tab>1200" becomes "Total1200" and INV-1042 becomes "INV1042".
#   30:00 hours become "1900-01-01 06:00:00".
# Why it matters: tabs separate names from amounts in letters, invoices and lists. Neither part is found, a model reads
#   another number, and time sheets contain dates of 1900 and no hours above 24.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
packages=(kreuzberg==4.10.4 python-docx==1.2.0 openpyxl==3.1.5)
venv/bin/pip install --quiet --disable-pip-version-check "${packages[@]}"
cat > probe.py <<'PY'
import sys
from datetime import timedelta

import docx
import openpyxl
from docx.oxml import OxmlElement
from kreuzberg import extract_file_sync

document = docx.Document()
document.add_paragraph("Total\t1200")
paragraph = document.add_paragraph("INV")
paragraph.add_run()._r.append(OxmlElement("w:noBreakHyphen"))
paragraph.add_run("1042")
document.save("file.docx")
book = openpyxl.Workbook()
book.active.append(["Hours", timedelta(hours=30)])
book.active["B1"].number_format = "[h]:mm"
book.save("file.xlsx")

texts = [extract_file_sync(name).content.split("\n") for name in ("file.docx", "file.xlsx")]
lines = [line.strip() for text in texts for line in text if line.strip()]
print("kreuzberg 4.10.4:", lines)
sys.exit(not {"Total1200", "INV1042", "Hours 1900-01-01 06:00:00"} <= set(lines))
PY
venv/bin/python probe.py
