#!/usr/bin/env bash
# Guess: SheetJS with `cellDates: true` reads the date that a person sees, in workbooks with the 1904 date system too.
# Happens (xlsx 0.18.5, the newest on npm): the formatted text is right, and the Date, in `sheet_to_json` as well, is
#   1,462 days (four years and a day) early. exceljs 4.4.0 reads the right one.
# Why it matters: 1904 workbooks come from Excel for Mac. Due dates move by four years in silence, and a check of the
#   text or of `sheet_to_csv` does not show it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5
cat > probe.mjs <<'JS'
import ExcelJS from 'exceljs';
import XLSX from 'xlsx';

const book = new ExcelJS.Workbook();
book.properties.date1904 = true;
const cell = book.addWorksheet('Sheet').getCell('A1');
cell.value = new Date('2024-05-01T12:00:00Z');
cell.numFmt = 'yyyy-mm-dd';
const file = await book.xlsx.writeBuffer();

const read = new ExcelJS.Workbook();
await read.xlsx.load(file);
const sheet = XLSX.read(file, { cellDates: true }).Sheets.Sheet;
const days = {
  exceljs: read.worksheets[0].getCell('A1').value.toISOString().slice(0, 10),
  text: sheet.A1.w,
  json: XLSX.utils.sheet_to_json(sheet, { header: 1 })[0][0].toISOString().slice(0, 10),
};
console.log('exceljs 4.4.0, xlsx', XLSX.version, days);
if (JSON.stringify(Object.values(days)) !== '["2024-05-01","2024-05-01","2020-04-30"]') process.exit(1);
JS
TZ=UTC node probe.mjs
