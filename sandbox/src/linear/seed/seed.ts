import type { Random } from '../../random.js';
import type { Workspace } from '../state.js';

/** What the parts of the seed share. */
export interface SeedContext {
  workspace: Workspace;
  random: Random;
  scale: number;
  /** The moment the data is told relative to. */
  now: number;
  /** When the workspace began. */
  startedAt: number;
  userId(key: string | null): string | null;
  teamId(key: string): string;
}
