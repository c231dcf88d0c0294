#!/usr/bin/env bash
# Guess: exceljs reads a cell that a person sees as "7.5 h", "12.5 km" or "3 d" as the number 7.5, 12.5 or 3.
# Happens (exceljs 4.4.0): when the unit is an escaped letter in the number format (`0.0\ \h`, the form that is equal to
#   `0.0" h"`), the `h`, `m` or `d` makes the number a Date in the year 1900. SheetJS 0.18.5 reads a number.
# Why it matters: hours, distances and days of a sheet reach an index or a replica as dates, with no error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5
cat > probe.mjs <<'JS'
import ExcelJS from 'exceljs';
import XLSX from 'xlsx';

const formats = ['0.0" h"', '0.0\\ \\h', '0.0\\ \\k\\m', '0\\d'];
const book = new ExcelJS.Workbook();
const sheet = book.addWorksheet('Sheet');
for (const [index, format] of formats.entries()) {
  const cell = sheet.getCell(index + 1, 1);
  cell.value = 7.5;
  cell.numFmt = format;
}
const file = await book.xlsx.writeBuffer();

const read = new ExcelJS.Workbook();
await read.xlsx.load(file);
const other = XLSX.read(file, { cellDates: true }).Sheets.Sheet;
const kinds = [];
for (const [index, format] of formats.entries()) {
  const value = read.worksheets[0].getCell(index + 1, 1).value;
  const cell = other[`A${index + 1}`];
  console.log(format.padEnd(10), 'a person sees', cell.w.padEnd(7), 'SheetJS', cell.v, 'exceljs', value);
  kinds.push(`${value instanceof Date ? 'date' : typeof value}/${typeof cell.v}`);
}
if (kinds.join(' ') !== 'number/number date/number date/number date/number') process.exit(1);
JS
echo "exceljs 4.4.0, xlsx 0.18.5, Node $(node -v)"
node probe.mjs
