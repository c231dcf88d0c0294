import { customers } from '../../company.js';
import { pdfOf } from '../formats/pdf.js';
import { pngOf } from '../formats/png.js';
import { types } from '../mime.js';
import { type Builder, owner } from './builder.js';
import { capitalised, contract, invoices, kickOff, meetingNotes, requirements, topic } from './texts.js';

/** A product manager's My Drive. */
export function seedMyDrive(builder: Builder, root: string, scale: number): void {
  seedCustomers(builder, root);
  seedProduct(builder, root);
  seedMeetings(builder, root, Math.max(1, Math.round(28 * scale)));
  seedFinance(builder, root);
  seedDesign(builder, root);
}

function seedCustomers(builder: Builder, root: string): void {
  const folder = builder.folder('Customers', root, { createdDaysAgo: 400, modifiedDaysAgo: 3, starredBy: [owner] });
  for (const [index, customer] of customers.entries()) {
    const made = 380 - index * 30;
    const own = builder.folder(customer, folder, {
      createdDaysAgo: made,
      folderColorRgb: index % 3 === 0 ? '#4986e7' : '#8f8f8f',
    });
    const notes = builder.document('Kick-off notes', own, kickOff(customer, index), {
      createdDaysAgo: made,
      revisionCount: 1 + (index % 3),
    });
    builder.sheet('Invoices', own, invoices(customer, index), { createdDaysAgo: made, modifiedDaysAgo: index + 1 });
    builder.binary(`Contract ${customer}.pdf`, own, pdfOf(contract(customer, index)), {
      createdDaysAgo: made,
      revisionCount: index === 0 ? 3 : 1,
      description: `Signed agreement with ${customer}`,
    });
    builder.binary('logo.png', own, pngOf(32 + index * 8, 32, [30 * index, 120, 255 - 30 * index]), {
      createdDaysAgo: made,
    });
    if (index % 2 === 0) builder.share(notes, 'dana.whitfield', 'writer');
  }
}

function seedProduct(builder: Builder, root: string): void {
  const folder = builder.folder('Product', root, { createdDaysAgo: 500, modifiedDaysAgo: 2 });
  const specs = builder.folder('Requirements', folder, { createdDaysAgo: 480 });
  for (let index = 0; index < 12; index += 1) {
    const file = builder.document(capitalised(topic(index)), specs, requirements(index), {
      createdDaysAgo: 300 - index * 20,
      revisionCount: 2,
      description: `Requirements for ${topic(index)}`,
      ...(index < 2 && { starredBy: [owner] }),
      ...(index === 3 && { isAppAuthorized: true }),
    });
    if (index % 3 === 0) builder.share(file, 'tomas.aguirre', index === 0 ? 'commenter' : 'writer');
  }
  const rows = Array.from(
    { length: 12 },
    (_, index) => `Q${1 + (index % 4)},"${capitalised(topic(index))}",${index % 2 ? 'planned' : 'done'}`,
  );
  builder.sheet('Roadmap', folder, ['Quarter,Theme,State', ...rows].join('\n'), {
    createdDaysAgo: 350,
    modifiedDaysAgo: 1,
    revisionCount: 4,
  });
  const slides = [
    '# Where we stand\n\nThree themes this year',
    ...[0, 1, 2].map((index) => `# ${capitalised(topic(index))}\n\n- done by summer`),
  ];
  builder.file('All-hands: product', types.presentation, folder, {
    text: slides.join('\n---\n'),
    createdDaysAgo: 40,
    modifiedDaysAgo: 4,
  });
  builder.file('Ledger architecture', types.drawing, folder, {
    text: 'Bank\nFeed\nMatching\nLedger',
    createdDaysAgo: 200,
  });
  builder.file('Customer survey', types.form, folder, { createdDaysAgo: 60, modifiedDaysAgo: 20, text: '' });
  builder.file('Roadmap reminders', types.script, folder, {
    createdDaysAgo: 100,
    modifiedDaysAgo: 99,
    text: 'function remind() {\n  MailApp.sendEmail("product@fernhill.example", "Roadmap", "Please update it");\n}\n',
  });
}

function seedMeetings(builder: Builder, root: string, count: number): void {
  const folder = builder.folder('Meetings', root, { createdDaysAgo: 420, modifiedDaysAgo: 1 });
  const years = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const ago = 3 + index * 7;
    const date = builder.time(ago).slice(0, 10);
    const year = date.slice(0, 4);
    const own = years.get(year) ?? builder.folder(year, folder, { createdDaysAgo: ago + 1 });
    years.set(year, own);
    builder.document(`Product weekly ${date}`, own, meetingNotes(index, date), {
      createdDaysAgo: ago,
      modifiedDaysAgo: ago - 1,
    });
  }
}

function seedFinance(builder: Builder, root: string): void {
  const folder = builder.folder('Finance', root, { createdDaysAgo: 390, modifiedDaysAgo: 8 });
  for (let month = 1; month <= 12; month += 1) {
    const name = `expenses-${String(month).padStart(2, '0')}.csv`;
    const lines = Array.from(
      { length: 6 },
      (_, index) => `${month}/${index + 3},Travel,${(month * 17 + index * 31) % 400}.50`,
    );
    builder.text(name, folder, `\uFEFFDay,Kind,Amount\r\n${lines.join('\r\n')}\r\n`, {
      createdDaysAgo: 370 - month * 25,
    });
  }
  builder.sheet(
    'Budget',
    folder,
    'Team,Planned,Spent\nProduct,12000,8450.25\nDesign,8000,9120\n"Travel, all",5000,310',
    {
      createdDaysAgo: 330,
      modifiedDaysAgo: 8,
      revisionCount: 5,
    },
  );
  builder.text('rates.json', folder, JSON.stringify({ base: 'EUR', rates: { CHF: 0.94, SEK: 11.4 } }, null, 2), {
    createdDaysAgo: 30,
  });
}

function seedDesign(builder: Builder, root: string): void {
  const folder = builder.folder('Design', root, { createdDaysAgo: 250, modifiedDaysAgo: 12 });
  const deep = builder.folder('Icons', builder.folder('Assets', folder, { createdDaysAgo: 240 }), {
    createdDaysAgo: 230,
  });
  for (const [index, name] of ['home', 'ledger', 'bank', 'user', 'search', 'export'].entries()) {
    builder.text(
      `${name}.svg`,
      deep,
      `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><circle cx="12" cy="12" r="${4 + index}"/></svg>\n`,
      {
        createdDaysAgo: 220 - index,
      },
    );
  }
  for (const [index, name] of ['login', 'dashboard', 'approval'].entries()) {
    builder.binary(`screen-${name}.png`, folder, pngOf(64, 48, [200, 40 * index, 90]), {
      createdDaysAgo: 120 - index * 10,
      revisionCount: 2,
    });
  }
  builder.text('tokens.css', folder, ':root {\n  --ink: #1d2a35;\n  --paper: #ffffff;\n}\n', { createdDaysAgo: 118 });
}
