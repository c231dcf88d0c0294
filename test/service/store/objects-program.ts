import { objectsFrom } from '../../../service/src/data/objects/options.js';
import { openStore } from '../../../service/src/data/records/open.js';
import { documents, documentsOf, longDocument, maxInline, textsOf } from './objects.js';

// Writes documents one by one, prints the id of each after writing it, and kills itself after a given number of
// objects.
const [folder = '', name = '', lastPut = ''] = process.argv.slice(2);
const objects = objectsFrom(process.env)!;
let puts = 0;
const store = await openStore({
  folder,
  entities: [documents],
  cursorKeys: () => [new Uint8Array(32)],
  worker: null,
  maxInline,
  objects: {
    ...objects,
    async put(key, bytes) {
      await objects.put(key, bytes);
      if (++puts === Number(lastPut)) process.kill(process.pid, 'SIGKILL');
    },
  },
});
for (let number = 0; ; number++) {
  const id = `${name}-${number}`;
  await store.write(documentsOf('con_1'), [longDocument(id, `marker${id.replace('-', 'x')}`)], textsOf);
  process.stdout.write(`${id}\n`);
}
