#!/usr/bin/env bash
# Guess: Orama with its default (English) tokenizer treats "Müller" as one word, as it folds accents ("é" becomes "e").
# Happens (@orama/orama 3.1.18): English keeps a few accented letters only, and every other letter ends a word. "Müller"
#   becomes "m" and "ller"; search is by prefix, so it finds all that starts with M, before the name itself. A Cyrillic,
#   Greek or Chinese text has no words at all: it is stored and never found.
# Why it matters: names of people and companies in an English index return unrelated records first, without a warning.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @orama/orama@3.1.18
cat > probe.mjs <<'JS'
import { create, insert, search } from '@orama/orama';

const db = create({ schema: { text: 'string' } });
for (const text of ['Meeting minutes', 'Moritz Meyer', 'Müller GmbH', 'Иванов']) insert(db, { text });
const texts = async (term) => (await search(db, { term })).hits.map((hit) => hit.document.text);
const [umlaut, cyrillic] = [await texts('Müller'), await texts('Иванов')];
const [müller, café] = ['Müller', 'Café'].map((word) => db.tokenizer.tokenize(word));
console.log('@orama/orama 3.1.18: tokens of Müller', müller, 'of Café', café);
console.log('Müller finds', umlaut, 'Иванов finds', cyrillic);
if (umlaut.at(-1) !== 'Müller GmbH' || umlaut.length !== 3 || cyrillic.length !== 0) process.exit(1);
JS
node probe.mjs
