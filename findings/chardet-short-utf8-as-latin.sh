#!/usr/bin/env bash
# Guess: a text whose bytes are valid UTF-8, with letters beyond ASCII, is detected as UTF-8 by chardet.
# Happens (chardet 2.2.0): up to three such letters count as 80 percent for UTF-8, and frequent letter groups of
#   Spanish, Portuguese, French or Danish give ISO-8859-1 up to 98, so whole sentences with one accent come back as
#   Latin: "La reunión" is read as "La reuniÃ³n". The same text with four accents is UTF-8 at 100. jschardet 4.1.0 says
#   UTF-8 for all of them.
# Why it matters: subjects, file names and short notes are damaged in some languages and not in others; a threshold on
#   the confidence does not help, since the wrong answer has the higher one.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund chardet@2.2.0 jschardet@4.1.0
cat > probe.mjs <<'JS'
import chardet from 'chardet';
import jschardet from 'jschardet';

const cases = {
  'La reunión con el cliente es el martes': 'ISO-8859-1 98',
  'A reunião com o cliente foi adiada para segunda': 'ISO-8859-1 98',
  'Le client a demandé un devis pour la semaine prochaine': 'ISO-8859-1 98',
  'Mødet med kunden er flyttet til mandag': 'ISO-8859-1 98',
  'Le contrat est signé': 'ISO-8859-2 95',
  'Der Termin mit dem Kunden ist für Montag geplant': 'UTF-8 80',
  'Él pidió: la reunión con el cliente será el miércoles': 'UTF-8 100',
};
let same = true;
for (const [text, expected] of Object.entries(cases)) {
  const bytes = Buffer.from(text);
  const [{ name, confidence }] = chardet.analyse(bytes);
  const other = jschardet.detect(bytes);
  console.log(`chardet ${name} ${confidence} | jschardet ${other.encoding} | ${new TextDecoder(name).decode(bytes)}`);
  same &&= `${name} ${confidence}` === expected && chardet.detect(bytes) === name && /^utf-8$/i.test(other.encoding);
}
if (!same) process.exit(1);
JS
echo "chardet 2.2.0, jschardet 4.1.0, Node $(node -v)"
node probe.mjs
