import type { VendorContext } from '../../vendor.js';
import type { GongWorld } from '../rows.js';
import { seedCalls } from './calls.js';
import { idFrom, randomFor } from './ids.js';
import { seedLibrary } from './library.js';
import { seedScorecards, seedTrackers } from './settings.js';
import { seedUsers } from './users.js';

/** Builds what the company's Gong holds: the same for the same seed, scale and moment. */
export function seedWorld({ seed, scale, start }: Pick<VendorContext, 'seed' | 'scale' | 'start'>): GongWorld {
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
