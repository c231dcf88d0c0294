import { afterAll, it } from 'vitest';
import { newFolder, removeBuilt } from '../../service/store/fixtures.js';
import { seededPauses, surviveKills } from '../../service/store/kills.js';

afterAll(removeBuilt);

it('a store killed a hundred times neither loses nor duplicates acknowledged data', async () => {
  await surviveKills(newFolder(), seededPauses(20, 100));
}, 1_200_000);
