#!/usr/bin/env bash
# Guess: msgreader decodes an Outlook message that is not in Unicode by the code page that it reports, or at least when
#   one sets `ansiEncoding` to it and reads again.
# Happens (@kenjiuno/msgreader 1.28.0): it decodes as Latin-1. The first `getFileData()` reports `messageCodepage`, but
#   its result is cached: with `ansiEncoding` set afterwards, the second one returns the same object. A new reader over
#   the same bytes, with `ansiEncoding` set before, is right.
# Why it matters: the code page is known only after a first reading. Subject and body of old Cyrillic, Greek or Hebrew mail
#   enter the index as "Ñ÷¸ò", without an error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @kenjiuno/msgreader@1.28.0 cfb@1.2.2 iconv-lite@0.7.3
cat > probe.mjs <<'JS'
import msgreader from '@kenjiuno/msgreader';
import cfb from 'cfb';
import iconv from 'iconv-lite';

/** An entry of the property stream (MS-OXMSG 2.4.2): type, id, flags, and the value or the size of the string. */
function property(type, id, value) {
  const entry = Buffer.alloc(16);
  for (const [offset, part] of [type, id].entries()) entry.writeUInt16LE(part, offset * 2);
  entry.writeUInt32LE(6, 4);
  entry.writeUInt32LE(value, 8);
  return entry;
}
const file = cfb.utils.cfb_new();
const entries = [Buffer.alloc(32), property(0x0003, 0x3ffd, 1251)];
for (const [id, text] of Object.entries({ '001A': 'IPM.Note', '0037': 'Счёт', 1000: 'Оплатить до пятницы' })) {
  const bytes = iconv.encode(text, 'windows-1251');
  cfb.utils.cfb_add(file, `/__substg1.0_${id}001E`, bytes);
  entries.push(property(0x001e, Number.parseInt(id, 16), bytes.length + 1));
}
cfb.utils.cfb_add(file, '/__properties_version1.0', Buffer.concat(entries));
const namedProperties = '/__nameid_version1.0/__substg1.0_';
for (const id of ['0002', '0003', '0004']) cfb.utils.cfb_add(file, `${namedProperties}${id}0102`, Buffer.alloc(0));
const bytes = new Uint8Array(cfb.write(file, { type: 'buffer' })).buffer;

const Reader = msgreader.default ?? msgreader;
const reader = new Reader(bytes);
const { subject, messageCodepage } = reader.getFileData();
reader.parserConfig = { ansiEncoding: `windows${messageCodepage}` };
const again = reader.getFileData().subject;
const fresh = new Reader(bytes);
fresh.parserConfig = { ansiEncoding: `windows${messageCodepage}` };
console.log({ messageCodepage, subject, again, fresh: fresh.getFileData().subject });
if (messageCodepage !== 1251 || subject !== 'Ñ÷¸ò' || again !== subject) process.exit(1);
if (fresh.getFileData().subject !== 'Счёт') process.exit(1);
JS
echo "@kenjiuno/msgreader 1.28.0, Node $(node -v)"
node probe.mjs
