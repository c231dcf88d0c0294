import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { collection, newFolder, newStore, removeBuilt, searchIds, tasks, workerCode } from './fixtures.js';

afterAll(removeBuilt);

const imported = /^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';$/gm;

/** Modules loaded together with a module, by URL or name. */
function loadedWith(module: URL, known = new Set<string>()): Set<string> {
  if (known.has(module.href)) return known;
  known.add(module.href);
  for (const [, name = ''] of readFileSync(module, 'utf8').matchAll(imported)) {
    if (name.startsWith('.')) loadedWith(new URL(name.replace(/\.js$/, '.ts'), module), known);
    else known.add(name);
  }
  return known;
}

it('threads start without the library, which would take longer to load than the database takes to open', () => {
  const worker = new URL('../../../service/src/data/records/drivers/sqlite/worker.ts', import.meta.url);
  const loaded = [...loadedWith(worker)];
  expect(loaded.length).toBeGreaterThan(20);
  // Small and without dependencies.
  expect(loaded.filter((name) => !/^(?:file|node):/.test(name))).toEqual(['stemmer']);
});

it('requests are served from the start, no matter which threads are ready', async () => {
  const folder = newFolder();
  const first = await newStore({ folder, entities: [tasks], worker: await workerCode() });
  await first.write(collection, [{ id: 'a', title: 'kept' }]);
  await first.close();

  const again = await newStore({ folder, entities: [tasks], worker: await workerCode() });
  const answers = [];
  for (let round = 0; round < 50; round++) {
    answers.push(await searchIds(again, { query: { filter: { fuzzy: { title: 'kep' } } } }));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(new Set(answers.flat())).toEqual(new Set(['a']));
  expect(answers).toHaveLength(50);
  await again.close();
  await expect(again.count(collection)).rejects.toThrow('has been closed');
});

it('threads close immediately, even if some are still starting', async () => {
  const store = await newStore({ folder: newFolder(), entities: [tasks], worker: await workerCode(), readers: 4 });
  await store.close();
  await expect(searchIds(store, { query: {} })).rejects.toThrow('has been closed');
});

it('counts and words of one thread follow the changes of another', async () => {
  const store = await newStore({ folder: newFolder(), entities: [tasks], worker: await workerCode() });
  const found = async (title: string) => {
    const params = { query: { filter: { fuzzy: { title } } }, limit: 1 };
    const { data, meta } = await store.search({ ...collection, params });
    return [data.length, meta.total];
  };
  await store.write(collection, [
    { id: 'a', title: 'kept' },
    { id: 'b', title: 'kept' },
  ]);
  // With more searches than threads, each of them has seen the state before the change.
  const all = (title: string) => Promise.all(Array.from({ length: 12 }, () => found(title)));
  expect(await all('kept')).toEqual(Array.from({ length: 12 }, () => [1, 2]));
  await store.write(collection, [
    { id: 'c', title: 'kept' },
    { id: 'b', title: 'lost' },
    { id: 'd', title: 'lost' },
    { id: 'e', title: 'kept' },
  ]);
  expect(await all('kept')).toEqual(Array.from({ length: 12 }, () => [1, 3]));
  expect(await all('lost')).toEqual(Array.from({ length: 12 }, () => [1, 2]));
  await store.close();
});
