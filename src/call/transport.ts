import type { Action, Effect, Settings } from '../action/action.js';
import type { Result } from '../action/result.js';
import type { Manifest } from '../manifest/manifest.js';
import type { ExecuteOptions } from './execute-options.js';
import type { PlanMode } from './plan.js';

/** One validated call to `execute`. */
export interface Operation {
  /** The connector's manifest. */
  readonly manifest: Manifest;
  /** Entity of the call. */
  readonly entity: string;
  /** Action of the call. */
  readonly action: string;
  /** Its effect on the vendor's data. */
  readonly effect: Effect;
  /** Validated parameters. */
  readonly params: unknown;
  /** The action itself. */
  readonly spec: Action;
  /** Options of the call. */
  readonly options: ExecuteOptions;
  /** The connector's settings. */
  readonly settings: Settings;
  /** Set if a write is only planned, or must match a plan. */
  readonly planMode?: PlanMode | undefined;
  /** Timeout for the whole call in milliseconds. */
  readonly timeoutMs: number;
}

/** A way to run operations: a function from an operation to its result. */
export type Transport = (operation: Operation) => Promise<Result>;
