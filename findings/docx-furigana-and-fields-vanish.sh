#!/usr/bin/env bash
# Guess: mammoth and pandoc read a Japanese word with furigana as the word, perhaps followed by its reading, and a field as
#   the value that Word last showed.
# Happens (mammoth 1.13.0, pandoc of pypandoc-binary 1.17): `w:ruby` vanishes, the word and the reading. So does the value of
#   each `w:fldSimple`, in which Word writes the numbers of captions; the same field written with `w:fldChar` is kept.
#   mammoth reports "an unrecognised element was ignored" beside the text, which markitdown drops; pandoc reports nothing.
# Why it matters: furigana stand above names of people and places. "山田 様" becomes " 様" in the index, and "Table 7"
#   becomes "Table ".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mammoth==1.13.0 pypandoc-binary==1.17
cat > probe.py <<'PY'
import sys
import zipfile
from importlib.metadata import version

import mammoth
import pypandoc

formats = "http://schemas.openxmlformats.org"
types = "application/vnd.openxmlformats-"


def run(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(value):
    code = "<w:r><w:instrText> SEQ Table </w:instrText></w:r>"
    begin, separate, end = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    return begin + code + separate + run(value) + end


ruby = f"<w:ruby><w:rubyPr/><w:rt>{run('やまだ')}</w:rt><w:rubyBase>{run('山田')}</w:rubyBase></w:ruby>"
parts = [
    f"<w:r>{ruby}</w:r>{run(' 様')}",
    f"{run('Table ')}<w:fldSimple w:instr=' SEQ Table '>{run('7')}</w:fldSimple>{run(': Prices')}",
    f"{run('Table ')}{field('8')}{run(': Costs')}",
]
body = "".join(f"<w:p>{part}</w:p>" for part in parts)
files = {
    "[Content_Types].xml": f'<Types xmlns="{formats}/package/2006/content-types"><Default Extension="rels" ContentType='
    f'"{types}package.relationships+xml"/><Override PartName="/d.xml" ContentType='
    f'"{types}officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{formats}/package/2006/relationships"><Relationship Id="r" Target="d.xml"'
    f' Type="{formats}/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "d.xml": f'<w:document xmlns:w="{formats}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>',
}
with zipfile.ZipFile("file.docx", "w") as file:
    for name, text in files.items():
        file.writestr(name, text)
found = {"mammoth": mammoth.extract_raw_text(open("file.docx", "rb")).value, "pypandoc-binary": pypandoc.convert_file("file.docx", "plain")}
lines = {name: [line.strip() for line in text.splitlines() if line.strip()] for name, text in found.items()}
print(*(f"{name} {version(name)}: {texts}" for name, texts in lines.items()), sep="\n")
sys.exit(any(texts != ["様", "Table : Prices", "Table 8: Costs"] for texts in lines.values()))
PY
venv/bin/python probe.py
