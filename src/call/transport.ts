import type { Action, Effect, Settings } from '../manifest/action.js';
import type { Manifest } from '../manifest/manifest.js';
import type { ExecuteOptions } from './execute-options.js';
import type { PlanMode } from './plan.js';
import type { Result } from './result.js';

/** One call to `execute`, already checked. */
export interface Operation {
  /** Manifest of the connector. */
  readonly manifest: Manifest;
  /** Entity of the call. */
  readonly entity: string;
  /** Action of the call. */
  readonly action: string;
  /** What it does at the vendor. */
  readonly effect: Effect;
  /** Parameters as the action's schema gives them back. */
  readonly params: unknown;
  /** The action itself. */
  readonly spec: Action;
  /** Options of the call. */
  readonly options: ExecuteOptions;
  /** Settings of the connector. */
  readonly settings: Settings;
  /** Present where a write is only planned, or is to be carried out as it was planned. */
  readonly planMode?: PlanMode | undefined;
  /** Milliseconds that the call may take in all. */
  readonly timeoutMs: number;
}

/** A way to run operations: a function from an operation to its result. */
export type Transport = (operation: Operation) => Promise<Result>;
