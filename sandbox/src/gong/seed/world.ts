import type { VendorContext } from '../../vendor.js';
import type { GongWorld } from '../rows.js';
import { seedCalls } from './calls.js';
import { idFrom, randomFor } from './ids.js';
import { seedLibrary } from './library.js';
import { seedScorecards, seedTrackers } from './settings.js';
import { seedUsers } from './users.js';

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

/** The most recently generated company: many sandboxes in a test run share it, and none of them modify it. */
let latest: { readonly options: SeedOptions; readonly world: GongWorld } | undefined;

/** The company's Gong data: deterministic for a given seed, scale and time. Must not be modified. */
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
    users,
    workspaces,
    calls,
    scorecards: seedScorecards(seed, start, users, workspaces),
    trackers: seedTrackers(seed, start, users, workspaces),
    folders: seedLibrary(seed, start, users, workspaces, calls),
  };
}
