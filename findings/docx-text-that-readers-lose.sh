#!/usr/bin/env bash
# Guess: readers of Word documents return the text that Word shows, at least in the body of the document.
# Happens: python-docx 1.2.0 drops inserted text (tracked changes), content controls and fields from
#   `paragraph.text`, and the paragraphs inside content controls. mammoth 1.13.0 drops simple fields. officeparser
#   7.8.0 drops block content controls, and moved text is there twice, at the old place too.
# Why it matters: contracts in review, forms and cover pages are made of these: names, dates and amounts are missing
#   from the index, or a clause that was moved is quoted from two places.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mammoth@1.13.0 officeparser@7.8.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-docx==1.2.0
cat > probe.py <<'PY'
import json
import sys

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

by = 'w:author="A" w:date="2024-01-01T00:00:00Z"'
run = "<w:r><w:t>{}</w:t></w:r>".format
inline = [
    f'<w:ins w:id="1" {by}>{run("inserted")}</w:ins>',
    f'<w:moveFrom w:id="2" {by}>{run("moved")}</w:moveFrom>',
    f'<w:moveTo w:id="3" {by}>{run("moved")}</w:moveTo>',
    f'<w:sdt><w:sdtContent>{run("control")}</w:sdtContent></w:sdt>',
    f'<w:fldSimple w:instr=" AUTHOR ">{run("field")}</w:fldSimple>',
]
block = f'<w:sdt {{}}><w:sdtContent><w:p>{run("block")}</w:p></w:sdtContent></w:sdt>'
document = Document()
body = document.element.body
spaced = run(" ").replace("<w:t>", '<w:t xml:space="preserve">').join(inline)
body.insert(0, parse_xml(f'<w:p {nsdecls("w")}>{run("plain")}{spaced}</w:p>'))
body.insert(1, parse_xml(block.format(nsdecls("w"))))
document.save("probe.docx")
json.dump(" ".join(paragraph.text for paragraph in Document("probe.docx").paragraphs), sys.stdout)
PY
cat > probe.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import mammoth from 'mammoth';
import * as officeparser from 'officeparser';

const count = (text) =>
  ['inserted', 'moved', 'control', 'field', 'block'].map((word) => `${word} ${text.split(word).length - 1}`).join(', ');
const python = count(JSON.parse(execFileSync('venv/bin/python', ['probe.py'], { encoding: 'utf8' })));
const viaMammoth = count((await mammoth.extractRawText({ path: 'probe.docx' })).value);
const viaOfficeparser = count((await officeparser.parseOffice('probe.docx')).toText());
console.log(`python-docx: ${python}\nmammoth: ${viaMammoth}\nofficeparser: ${viaOfficeparser}`);
const same =
  python === 'inserted 0, moved 0, control 0, field 0, block 0' &&
  viaMammoth === 'inserted 1, moved 1, control 1, field 0, block 1' &&
  viaOfficeparser === 'inserted 1, moved 2, control 1, field 1, block 0';
if (!same) process.exit(1);
JS
node probe.mjs
