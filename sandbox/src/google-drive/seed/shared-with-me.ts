import { pdfOf } from '../formats/pdf.js';
import type { Builder } from './builder.js';
import { owner } from './builder.js';

/** Files owned by others, either shared or private. */
export function seedSharedWithMe(builder: Builder): void {
  const { world } = builder;
  const tomas = world.root('tomas.aguirre');
  const folder = builder.folder('Engineering plans', tomas, { by: 'tomas.aguirre', createdDaysAgo: 260 });
  for (const [index, name] of ['Ledger rewrite', 'On-call guide', 'Hiring plan'].entries()) {
    const text = `# ${name}\n\nOwner: Tomás Aguirre. Review every quarter.`;
    const file = builder.document(name, folder, text, { by: 'tomas.aguirre', createdDaysAgo: 200 - index * 10 });
    if (index < 2) builder.share(file, owner, index === 0 ? 'writer' : 'commenter', 30 - index);
  }
  const maren = world.root('maren.holt');
  const board = builder.binary('Board minutes.pdf', maren, pdfOf(['Minutes of the board', 'The budget is approved.']), {
    by: 'maren.holt',
    createdDaysAgo: 45,
    copyRequiresWriterPermission: true,
    isAppAuthorized: true,
  });
  builder.share(board, owner, 'reader', 44);
  const sheet = builder.sheet('Salary bands', maren, 'Level,From,To\n1,40000,52000', {
    by: 'maren.holt',
    createdDaysAgo: 80,
    copyRequiresWriterPermission: true,
  });
  builder.share(sheet, owner, 'reader', 70);
  const handed = builder.folder('Handover from Dana', world.root('dana.whitfield'), {
    by: 'dana.whitfield',
    createdDaysAgo: 33,
  });
  builder.share(world.files.get(handed)!, owner, 'writer', 32);
  builder.document('Open tickets', handed, '# Open tickets\n\n- Kestrel Health waits for an answer', {
    by: 'dana.whitfield',
    createdDaysAgo: 32,
  });
  const odd = builder.binary('invoice_overdue.pdf', world.root('hannah.kessler'), pdfOf(['Pay now']), {
    by: 'hannah.kessler',
    createdDaysAgo: 400,
    isAbusive: true,
  });
  builder.share(odd, owner, 'reader', 399);
}
