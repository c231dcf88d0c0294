#!/usr/bin/env bash
# Guess: postal-mime joins the lines of a `format=flowed` paragraph (RFC 3676) and leaves quotes what they are.
# Happens (postal-mime 4.0.0): it joins lines without regard to their quote marks. A paragraph quoted over several lines
#   keeps a ">" in the midst of the sentence, and when the last quoted line ends with a space, the reply below becomes
#   part of the quote. RFC 3676 (4.5) takes the marks off first and ends a paragraph where the depth changes.
#   mailparser 3.14.2 does both.
# Why it matters: what shortens threads by dropping lines that begin with ">" drops the answer, and a summary gives the
#   sentence to the other person.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund postal-mime@4.0.0 mailparser@3.14.2
cat > probe.mjs <<'JS'
import { simpleParser } from 'mailparser';
import PostalMime from 'postal-mime';

const head = 'From: a@example.org\r\nSubject: Re: offer\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n\r\n';
const read = async (...lines) => {
  const mail = `${head}${lines.join('\r\n')}\r\n`;
  const texts = [(await PostalMime.parse(mail)).text, (await simpleParser(mail)).text];
  return texts.map((text) => text.trimEnd().split('\n').map((line) => line.trimEnd()));
};
const quote = await read('> Shall we accept ', '> the offer?', 'No.');
const reply = await read('> Shall we accept? ', 'No, we do not.');
for (const [postalMime, mailparser] of [quote, reply]) console.log({ postalMime, mailparser });
const expected = [
  [['> Shall we accept > the offer?', 'No.'], ['> Shall we accept the offer?', 'No.']],
  [['> Shall we accept? No, we do not.'], ['> Shall we accept?', 'No, we do not.']],
];
if (JSON.stringify([quote, reply]) !== JSON.stringify(expected)) process.exit(1);
JS
echo "postal-mime 4.0.0, mailparser 3.14.2, Node $(node -v)"
node probe.mjs
