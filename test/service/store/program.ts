import { pathToFileURL } from 'node:url';
import { openSqlite } from '../../../service/src/data/records/drivers/sqlite/driver.js';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';

// Writes batch after batch to a folder and reports each stored one, until it is killed or has none left.
const [folder = '', worker = '', name = '', batches = '', entity = ''] = process.argv.slice(2);
const layout = layoutOf(JSON.parse(entity) as StoredEntity);
const driver = await openSqlite({
  folder,
  layouts: [layout],
  now: 0,
  readers: 1,
  worker: pathToFileURL(worker),
});
const size = 40;
for (let batch = 0; batch < Number(batches); batch++) {
  const records = Array.from({ length: size }, (_, index) => ({
    id: `${name}-${String(batch * size + index).padStart(8, '0')}`,
    title: `Task ${index} of ${name}`,
    notes: `kept in batch ${batch}`,
    labels: [`batch-${batch}`],
    state: { name: 'open' },
  }));
  const texts = records.map(({ notes }) => [
    { field: 'notes', text: notes, passages: [{ start: 0, end: notes.length, attribution: {} }] },
  ]);
  await driver.write(layout, 'con_1', records, texts, 0);
  process.stdout.write(`${batch}\n`);
}
await driver.close();
