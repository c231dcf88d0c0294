import type { VendorContext } from '../../vendor.js';
import type { GongWorld } from '../rows.js';
import { seedCalls } from './calls.js';
import { idFrom, randomFor } from './ids.js';
import { seedLibrary } from './library.js';
import { seedScorecards, seedTrackers } from './settings.js';
import { seedUsers } from './users.js';

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

/** The last company that was built: many sandboxes of one test run have the same, and none changes it. */
let latest: { readonly options: SeedOptions; readonly world: GongWorld } | undefined;

/** What the company's Gong holds: the same for the same seed, scale and moment. It must not be changed. */
export function seedWorld({ seed, scale, start }: SeedOptions): GongWorld {
  const { options } = latest ?? {};
  if (!latest || options?.seed !== seed || options.scale !== scale || options.start !== start) {
    latest = { options: { seed, scale, start }, world: buildWorld({ seed, scale, start }) };
  }
  return latest.world;
}

function buildWorld({ seed, scale, start }: SeedOptions): GongWorld {
  const users = seedUsers(seed, start);
  const workspaces = [
    { id: idFrom(randomFor(seed, 'workspace', 0)), name: 'Fernhill', description: 'Everything that we sell' },
    { id: idFrom(randomFor(seed, 'workspace', 1)), name: 'Support line' },
  ];
  const calls = seedCalls({ seed, scale, start, users, workspaces });
  return {
    ...{ users, workspaces, calls },
    scorecards: seedScorecards(seed, start, users, workspaces),
    trackers: seedTrackers(seed, start, users, workspaces),
    folders: seedLibrary(seed, start, users, workspaces, calls),
  };
}
