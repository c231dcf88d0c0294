#!/usr/bin/env bash
# Guess: mailparser returns no date, or reads UTC, when it does not know the zone in the `Date` header.
# Happens (mailparser 3.14.2): the date is the time at which the message is parsed, so every run returns another one.
#   It is so for "CEST", "CET", "JST" and for spaces around the colons, which RFC 5322 (4.3) obliges readers to accept:
#   unknown zones count as "-0000". Without a `Date` header, the date is undefined; "EDT" and "+0200 (CEST)" are right.
# Why it matters: old mail of an archive moves to the top as the newest, a search by date misses it, and a replica sees
#   the message change with each sync.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mailparser@3.14.2
cat > probe.mjs <<'JS'
import { simpleParser } from 'mailparser';

const read = async (date) => (await simpleParser(`From: a@example.org\r\n${date}Subject: x\r\n\r\nx\r\n`)).date;
const headers = [
  'Date: Mon, 6 May 2024 10:00:00 CEST\r\n',
  'Date: Mon, 6 May 2024 10:00:00 CET\r\n',
  'Date: Mon, 6 May 2024 10:00:00 JST\r\n',
  'Date: Mon, 6 May 2024 10 : 00 : 00 +0200\r\n',
  'Date: Mon, 6 May 2024 10:00:00 EDT\r\n',
  'Date: Mon, 6 May 2024 10:00:00 +0200 (CEST)\r\n',
  '',
];
const seen = [];
const start = Date.now();
for (const header of headers) {
  const date = await read(header);
  seen.push(date >= new Date(start) && date <= new Date() ? 'now' : (date?.toISOString() ?? 'none'));
  console.log(header.trim() || '(no Date header)', '->', seen.at(-1));
}
const expected = ['now', 'now', 'now', 'now', '2024-05-06T14:00:00.000Z', '2024-05-06T08:00:00.000Z', 'none'];
if (seen.join() !== expected.join()) process.exit(1);
JS
echo "mailparser 3.14.2, Node $(node -v)"
TZ=UTC node probe.mjs
