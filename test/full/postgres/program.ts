import { connectTo } from '../../../service/src/data/records/drivers/postgres/connection.js';
import { openPostgres } from '../../../service/src/data/records/drivers/postgres/driver.js';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';

// Writes batch after batch into a database, embeds pending passages, removes a few records, and reports each stored
// batch, until it is killed or has no batches left.
const [databaseUrl = '', name = '', connectorId = '', batches = '', entity = ''] = process.argv.slice(2);
const layout = layoutOf(JSON.parse(entity) as StoredEntity);
const driver = await openPostgres(await connectTo(databaseUrl), [layout], 0);
const passages = driver.passages!;
const size = 40;
const id = (batch: number, index: number) => `${name}-${String(batch * size + index).padStart(8, '0')}`;
for (let batch = 0; batch < Number(batches); batch++) {
  const records = Array.from({ length: size }, (_, index) => ({
    id: id(batch, index),
    title: `Note ${index} of ${name}`,
    body: `Kept in batch${batch} as one.\n\nThe second paragraph of ${name} ${index}.`,
    priority: batch,
  }));
  const texts = records.map(({ body }) => {
    const half = body.indexOf('\n\n');
    const spans = [
      { start: 0, end: half, attribution: {} },
      { start: half + 2, end: body.length, attribution: { of: name } },
    ];
    return [{ field: 'body', text: body, passages: spans }];
  });
  await driver.write(layout, connectorId, records, texts, 0);
  const waiting = await passages.unembedded('numbers', 100);
  const vectors = waiting.map(({ passage }) => ({
    passage,
    vector: Float32Array.from({ length: 8 }, (_, index) => Math.sin(passage * (index + 1))),
  }));
  await passages.embed('numbers', vectors);
  // Writes alternate with removals, so that removals are interrupted too.
  await driver.write(
    layout,
    connectorId,
    [{ id: `${name}-passing`, body: `Passing ${batch}` }],
    [[{ field: 'body', text: `Passing ${batch}`, passages: [{ start: 0, end: 7, attribution: {} }] }]],
    0,
  );
  await driver.remove(layout, connectorId, [`${name}-passing`], 0);
  process.stdout.write(`${batch}\n`);
}
await driver.close();
