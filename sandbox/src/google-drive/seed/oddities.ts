import { company } from '../../company.js';
import { VirtualBlob } from '../bytes.js';
import { permissionIdOf } from '../context.js';
import { docxOf, xlsxOf } from '../formats/office.js';
import { pdfOf } from '../formats/pdf.js';
import { zipOf } from '../formats/zip.js';
import { types } from '../mime.js';
import { type Builder, owner } from './builder.js';

const mebibyte = 2 ** 20;

/** Edge cases for clients that expect all files to be alike. */
export function seedOddities(builder: Builder, root: string): void {
  seedNames(builder, root);
  seedContents(builder, root);
  seedLinks(builder, root);
  seedTrash(builder, root);
}

function seedNames(builder: Builder, root: string): void {
  const folder = builder.folder('Names', root, { createdDaysAgo: 70 });
  builder.text("O'Brien's notes.txt", folder, 'The apostrophe has to be escaped in a search.\n');
  builder.text('back\\slash.txt', folder, 'So has the backslash.\n');
  builder.text('Umsatz 1/2026.csv', folder, 'Monat,Umsatz\nJanuar,1200\n', { description: 'A slash in the name' });
  builder.document('議事録 四半期レビュー', folder, '# 議事録\n\n売上は前年比で12%増えました。', {
    createdDaysAgo: 22,
  });
  builder.text('Протокол встречи.txt', folder, 'Решили: выпускаем в мае.\n');
  builder.text('emoji 🎉 party.md', folder, '# 🎉\n\nBring cake.\n');
  builder.text('duplicate.txt', folder, 'the first\n');
  builder.text('duplicate.txt', folder, 'the second\n');
  builder.text('no extension', folder, 'text all the same\n', { mimeType: 'text/plain' });
  builder.text('.hidden', folder, 'dots=first\n', { mimeType: 'text/plain' });
}

function seedContents(builder: Builder, root: string): void {
  const folder = builder.folder('Contents', root, { createdDaysAgo: 65 });
  builder.text('empty.txt', folder, '');
  builder.binary('virtual-1gib.bin', folder, new VirtualBlob(1024 * mebibyte, sums.large), { createdDaysAgo: 50 });
  builder.binary('virtual-64mib.bin', folder, new VirtualBlob(64 * mebibyte, sums.small), { createdDaysAgo: 50 });
  builder.binary('Offer.docx', folder, docxOf(['Offer', 'Twelve months, 14 users, EUR 650.00 a month']));
  builder.binary(
    'Prices.xlsx',
    folder,
    xlsxOf([
      ['Plan', 'EUR'],
      ['Small', '49'],
      ['Large', '199'],
    ]),
  );
  builder.binary(
    'export.tar.gz',
    folder,
    Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    {
      mimeType: 'application/gzip',
    },
  );
  builder.binary('photos.zip', folder, zipOf([{ name: 'readme.txt', content: 'No photos yet.\n' }]));
  builder.text('latin1.txt', folder, '', { bytes: Uint8Array.from('Zürich, Genève\n', (one) => one.charCodeAt(0)) });
  // Older than the next one: the order of equal times depends on ids, and those on the day.
  builder.binary('suspicious.pdf', folder, pdfOf(['You have won']), { isAbusive: true, modifiedDaysAgo: 46 });
  builder.binary('final and frozen.pdf', folder, pdfOf(['Do not change']), { readOnlyReason: 'Approved by the board' });
  builder.sheet('Ledger export, all years', folder, `${'2019-01-01,1020,Booking,100.00,EUR,'.padEnd(1023, 'x')}\n`, {
    repeatCount: 11 * 1024,
    createdDaysAgo: 15,
  });
  builder.text('config.yaml', folder, 'retries: 3\n', {
    properties: { project: 'ledger', phase: 'two' },
    appProperties: { importedFrom: 'sandbox' },
    isAppAuthorized: true,
  });
}

function seedLinks(builder: Builder, root: string): void {
  const { world } = builder;
  const files = [...world.files.values()];
  const budget = files.find(({ name }) => name === 'Budget')!;
  const customers = files.find(({ name }) => name === 'Customers')!;
  for (const target of [budget, customers]) {
    const shortcut = { targetId: target.id, targetMimeType: target.mimeType };
    builder.file(`${target.name} (shortcut)`, types.shortcut, root, { shortcut, createdDaysAgo: 28 });
  }
  const open = builder.document('Public handbook', root, '# Handbook\n\nHow we work, for everyone to read.', {
    createdDaysAgo: 160,
  });
  open.permissions.push({ id: 'anyoneWithLink', type: 'anyone', role: 'reader', allowFileDiscovery: false });
  const inside = builder.document('Holiday calendar', root, '# Holidays\n\nWe are closed from 24 December on.', {
    createdDaysAgo: 140,
  });
  inside.permissions.push({
    id: `${permissionIdOf(company.domain)}k`,
    type: 'domain',
    role: 'commenter',
    domain: company.domain,
    displayName: company.name,
    allowFileDiscovery: true,
  });
}

function seedTrash(builder: Builder, root: string): void {
  const trashed = { time: builder.time(2), by: owner };
  builder.document('Old positioning', root, '# Positioning\n\nFor accountants who hate paper.', {
    createdDaysAgo: 300,
    trashed,
  });
  builder.text('scratch.txt', root, 'delete me\n', { createdDaysAgo: 20, trashed });
  const folder = builder.folder('Offsite 2024', root, { createdDaysAgo: 500, trashed });
  builder.document('Agenda', folder, '# Agenda\n\nWalk, talk, eat.', { createdDaysAgo: 499 });
  builder.sheet('Rooms', folder, 'Person,Room\nInes,12', { createdDaysAgo: 498 });
}

/** Checksums of the virtual files, which are too large to compute on every start. */
const sums = {
  small: {
    md5: 'ee4c874dcb164b33ba8001ddf058647a',
    sha1: 'c80f86145db644bc428cafc7d0725158c3e609ec',
    sha256: '745a8de9dad5e20c9a23233b837b92da96c7bb034a85bee166fffd51d8d38fea',
  },
  large: {
    md5: '92a9a431e1a233d518af4d97a7b50cd0',
    sha1: '5b9eab99ddf4c3560921a59eab66527c95115b5e',
    sha256: '88644bb098b05ce75a397fa51b52b44891989048662287c5b470cb2f2ba4accf',
  },
};
