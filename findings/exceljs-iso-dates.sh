#!/usr/bin/env bash
# Guess: a cell that SheetJS writes as an ISO 8601 date (`cellDates: true`, cell type "d") is the same date in exceljs and
#   xlsx-populate.
# Happens: exceljs 4.4.0 takes the leading digits of "2024-05-06T00:00:00Z" for a serial number: with a date format,
#   the cell is July 16, 1905; without, the number 2024. xlsx-populate 1.21.0 returns NaN. Dates that are written as
#   serial numbers (without the option) are right.
# Why it matters: the type is part of the format (ISO/IEC 29500, ST_CellType), openpyxl writes it too (`iso_dates`).
#   A replica of a sheet then has due dates of 1905, all of one year equal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx-populate@1.21.0 @e965/xlsx@0.20.3 2>/dev/null
cat > probe.mjs <<'JS'
import * as sheetjs from '@e965/xlsx';
import exceljs from 'exceljs';
import populate from 'xlsx-populate';

const due = new Date('2024-05-06T00:00:00Z');
async function read(options) {
  const sheet = sheetjs.utils.aoa_to_sheet([[due]], { cellDates: true });
  const file = sheetjs.write(sheetjs.utils.book_new(sheet, 'A'), { type: 'buffer', bookType: 'xlsx', ...options });
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.load(file);
  return {
    sheetjs: sheetjs.read(file, { cellDates: true }).Sheets.A.A1.v.toISOString().slice(0, 10),
    exceljs: workbook.worksheets[0].getCell('A1').value.toISOString().slice(0, 10),
    populate: (await populate.fromDataAsync(file)).sheet(0).cell('A1').value(),
  };
}
const dates = await read({ cellDates: true });
const numbers = await read({});
console.log('exceljs 4.4.0, xlsx-populate 1.21.0, SheetJS', sheetjs.version);
console.log('2024-05-06 as ISO date:', dates, '\n2024-05-06 as serial number:', numbers);
const right = dates.sheetjs === '2024-05-06' && numbers.exceljs === '2024-05-06' && numbers.populate === 45418;
if (!right || dates.exceljs !== '1905-07-16' || !Number.isNaN(dates.populate)) process.exit(1);
JS
TZ=UTC node probe.mjs
