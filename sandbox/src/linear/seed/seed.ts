import type { Random } from '../../random.js';
import type { Workspace } from '../state.js';

/** Shared state of the seed. */
export interface SeedContext {
  workspace: Workspace;
  random: Random;
  scale: number;
  /** Reference time of the data. */
  now: number;
  /** When the workspace was created. */
  startedAt: number;
  userId(key: string | null): string | null;
  teamId(key: string): string;
}
