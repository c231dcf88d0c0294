#!/usr/bin/env bash
# Guess: PDF readers return the Arabic word that was written, when the file maps each glyph to its letters in order.
# Happens: PDFium (@hyzyla/pdfium 2.1.13), pdf.js (unpdf 1.8.1) and MuPDF (mupdf 1.28.1) turn the line around, also
#   inside a ligature: lam-alef, one glyph with ToUnicode "lam, alef", becomes "alef, lam". سلام (peace) is read as سالم
#   (Salem, "sound"), both proper words. pypdf 7.1.1 keeps the order.
# Why it matters: lam-alef is in every Arabic text (the article before a word with alef, "no"). Text and search index of
#   all three readers agree with each other, so a comparison between them does not show it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @hyzyla/pdfium@2.1.13 unpdf@1.8.1 mupdf@1.28.1 pdf-lib@1.17.1 \
  @pdf-lib/fontkit@1.1.1 dejavu-fonts-ttf@2.37.3
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pypdf==7.1.1
cat > probe.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import fontkit from '@pdf-lib/fontkit';
import * as mupdf from 'mupdf';
import { PDFDocument } from 'pdf-lib';
import { extractText } from 'unpdf';

const document = await PDFDocument.create();
document.registerFontkit(fontkit);
const font = await document.embedFont(readFileSync('node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));
document.addPage([300, 100]).drawText('سلام', { x: 20, y: 50, size: 24, font });
const file = await document.save();
writeFileSync('file.pdf', file);

const library = await PDFiumLibrary.init();
const script = 'import pypdf; print(pypdf.PdfReader("file.pdf").pages[0].extract_text())';
const texts = {
  pdfium: (await library.loadDocument(file)).getPage(0).getText(),
  mupdf: mupdf.Document.openDocument(file, 'application/pdf').loadPage(0).toStructuredText().asText(),
  pypdf: execFileSync('venv/bin/python', ['-c', script], { encoding: 'utf8', env: { PYTHONUTF8: '1' } }),
  pdfjs: (await extractText(new Uint8Array(file), { mergePages: true })).text,
};
library.destroy();
const names = { س: 'seen', ل: 'lam', ا: 'alef', م: 'meem' };
const letters = (text) => [...text.trim()].map((letter) => names[letter] ?? letter).join(' ');
const seen = Object.fromEntries(Object.entries(texts).map(([reader, text]) => [reader, letters(text)]));
console.log('written: seen lam alef meem; read on Node', process.version, seen);
const [right, turned] = ['seen lam alef meem', 'seen alef lam meem'];
if (seen.pypdf !== right || [seen.pdfium, seen.pdfjs, seen.mupdf].some((text) => text !== turned)) process.exit(1);
JS
node probe.mjs
