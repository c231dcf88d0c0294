import { customers } from '../../company.js';
import { pdfOf } from '../formats/pdf.js';
import { pngOf } from '../formats/png.js';
import { types } from '../mime.js';
import { type Builder, owner } from './builder.js';
import { capitalised, contract, invoices, kickOff, meetingNotes, requirements, topic } from './texts.js';

/** The folders and files of a product manager's My Drive. */
export function seedMyDrive(builder: Builder, root: string, scale: number): void {
  seedCustomers(builder, root);
  seedProduct(builder, root);
  seedMeetings(builder, root, Math.max(1, Math.round(28 * scale)));
  seedFinance(builder, root);
  seedDesign(builder, root);
}

function seedCustomers(builder: Builder, root: string): void {
  const folder = builder.folder('Customers', root, { made: 400, changed: 3, starredBy: [owner] });
  for (const [index, customer] of customers.entries()) {
    const made = 380 - index * 30;
    const own = builder.folder(customer, folder, { made, folderColorRgb: index % 3 === 0 ? '#4986e7' : '#8f8f8f' });
    const notes = builder.document('Kick-off notes', own, kickOff(customer, index), { made, drafts: 1 + (index % 3) });
    builder.sheet('Invoices', own, invoices(customer, index), { made, changed: index + 1 });
    builder.binary(`Contract ${customer}.pdf`, own, pdfOf(contract(customer, index)), {
      made,
      drafts: index === 0 ? 3 : 1,
      description: `Signed agreement with ${customer}`,
    });
    builder.binary('logo.png', own, pngOf(32 + index * 8, 32, [30 * index, 120, 255 - 30 * index]), { made });
    if (index % 2 === 0) builder.share(notes, 'dana.whitfield', 'writer');
  }
}

function seedProduct(builder: Builder, root: string): void {
  const folder = builder.folder('Product', root, { made: 500, changed: 2 });
  const specs = builder.folder('Requirements', folder, { made: 480 });
  for (let index = 0; index < 12; index += 1) {
    const file = builder.document(capitalised(topic(index)), specs, requirements(index), {
      ...{ made: 300 - index * 20, drafts: 2, description: `Requirements for ${topic(index)}` },
      ...(index < 2 && { starredBy: [owner] }),
      ...(index === 3 && { isAppAuthorized: true }),
    });
    if (index % 3 === 0) builder.share(file, 'tomas.aguirre', index === 0 ? 'commenter' : 'writer');
  }
  const rows = Array.from(
    { length: 12 },
    (_, index) => `Q${1 + (index % 4)},"${capitalised(topic(index))}",${index % 2 ? 'planned' : 'done'}`,
  );
  builder.sheet('Roadmap', folder, ['Quarter,Theme,State', ...rows].join('\n'), { made: 350, changed: 1, drafts: 4 });
  const slides = [
    '# Where we stand\n\nThree themes this year',
    ...[0, 1, 2].map((index) => `# ${capitalised(topic(index))}\n\n- done by summer`),
  ];
  builder.file('All-hands: product', types.presentation, folder, {
    text: slides.join('\n---\n'),
    made: 40,
    changed: 4,
  });
  builder.file('Ledger architecture', types.drawing, folder, { text: 'Bank\nFeed\nMatching\nLedger', made: 200 });
  builder.file('Customer survey', types.form, folder, { made: 60, changed: 20, text: '' });
  builder.file('Roadmap reminders', types.script, folder, {
    ...{ made: 100, changed: 99 },
    text: 'function remind() {\n  MailApp.sendEmail("product@fernhill.example", "Roadmap", "Please update it");\n}\n',
  });
}

function seedMeetings(builder: Builder, root: string, count: number): void {
  const folder = builder.folder('Meetings', root, { made: 420, changed: 1 });
  const years = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const ago = 3 + index * 7;
    const date = builder.time(ago).slice(0, 10);
    const year = date.slice(0, 4);
    const own = years.get(year) ?? builder.folder(year, folder, { made: ago + 1 });
    years.set(year, own);
    builder.document(`Product weekly ${date}`, own, meetingNotes(index, date), { made: ago, changed: ago - 1 });
  }
}

function seedFinance(builder: Builder, root: string): void {
  const folder = builder.folder('Finance', root, { made: 390, changed: 8 });
  for (let month = 1; month <= 12; month += 1) {
    const name = `expenses-${String(month).padStart(2, '0')}.csv`;
    const lines = Array.from(
      { length: 6 },
      (_, index) => `${month}/${index + 3},Travel,${(month * 17 + index * 31) % 400}.50`,
    );
    builder.text(name, folder, `\uFEFFDay,Kind,Amount\r\n${lines.join('\r\n')}\r\n`, { made: 370 - month * 25 });
  }
  builder.sheet(
    'Budget',
    folder,
    'Team,Planned,Spent\nProduct,12000,8450.25\nDesign,8000,9120\n"Travel, all",5000,310',
    {
      ...{ made: 330, changed: 8, drafts: 5 },
    },
  );
  builder.text('rates.json', folder, JSON.stringify({ base: 'EUR', rates: { CHF: 0.94, SEK: 11.4 } }, null, 2), {
    made: 30,
  });
}

function seedDesign(builder: Builder, root: string): void {
  const folder = builder.folder('Design', root, { made: 250, changed: 12 });
  const deep = builder.folder('Icons', builder.folder('Assets', folder, { made: 240 }), { made: 230 });
  for (const [index, name] of ['home', 'ledger', 'bank', 'user', 'search', 'export'].entries()) {
    builder.text(
      `${name}.svg`,
      deep,
      `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><circle cx="12" cy="12" r="${4 + index}"/></svg>\n`,
      {
        made: 220 - index,
      },
    );
  }
  for (const [index, name] of ['login', 'dashboard', 'approval'].entries()) {
    builder.binary(`screen-${name}.png`, folder, pngOf(64, 48, [200, 40 * index, 90]), {
      made: 120 - index * 10,
      drafts: 2,
    });
  }
  builder.text('tokens.css', folder, ':root {\n  --ink: #1d2a35;\n  --paper: #ffffff;\n}\n', { made: 118 });
}
