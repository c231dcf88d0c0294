import { afterAll, describe, it } from 'vitest';
import { notes } from '../../service/store/semantic-sample.js';
import { citusUrl, distributedStore, ownerUrl } from './cluster.js';
import { surviveKills } from './kills.js';
import { removeProgram } from './processes.js';

afterAll(removeProgram);

describe.skipIf(!citusUrl)('faults on Citus', { timeout: 600_000 }, () => {
  it('neither lose nor duplicate acknowledged data if the writing process is killed', async () => {
    const { url, store } = await distributedStore({ entities: [notes] });
    await store.close();
    await surviveKills(url, 20, ownerUrl(url));
  });
});
