/**
 * Code mode: a tool that runs JavaScript written by an agent to call connectors, in a QuickJS isolate on its own thread.
 *
 * Requires Node and the packages `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`.
 * @module agent-connectors/code
 */

import { checkOptions } from '../../call/options.js';
import { ConnectorError } from '../../errors/connector-error.js';
import type { CodeMode } from './code-mode.js';
import { enginePaths } from './isolate.js';
import { codeToolOf } from './tool.js';

export type { CodeMode, CodeTool, CodeToolset } from './code-mode.js';

/** Limits per program. */
export interface CodeModeOptions {
  /** Total time in milliseconds, including calls and approvals; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Compute time in milliseconds; 5,000 by default. */
  readonly cpuMs?: number | undefined;
  /** Machine-independent compute limit in steps, each several thousand loop iterations; 20,000 by default. */
  readonly steps?: number | undefined;
  /** Memory in mebibytes, at least 16; 64 by default. */
  readonly memoryMb?: number | undefined;
  /** Action calls; 100 by default. */
  readonly calls?: number | undefined;
  /** Concurrent programs; others queue. 10 by default. */
  readonly runs?: number | undefined;
  /** The program's clock, which does not advance; its start time by default. */
  readonly now?: (() => number) | undefined;
}

const optionKinds = {
  timeoutMs: 'ms',
  cpuMs: 'ms',
  steps: 'count',
  memoryMb: 'count',
  calls: 'count',
  runs: 'count',
  now: 'function',
} as const;

/** Creates the `codeMode` for `createAgentTools`. */
export function codeMode(options: CodeModeOptions = {}): CodeMode {
  checkOptions(options, optionKinds, 'Options for codeMode');
  const {
    timeoutMs = 60_000,
    cpuMs = 5_000,
    steps = 20_000,
    memoryMb = 64,
    calls = 100,
    runs = 10,
    now = Date.now,
  } = options;
  if (memoryMb < 16 || memoryMb > 1_024)
    throw new ConnectorError('invalid_params', 'memoryMb must be between 16 and 1,024.');
  if (runs < 1) throw new ConnectorError('invalid_params', 'runs must be at least 1.');
  enginePaths();
  const memoryBytes = memoryMb * 2 ** 20;
  const limits = { timeoutMs, cpuMs, steps, memoryBytes, calls, callChars: 1_000_000, logChars: 10_000 };
  return codeToolOf({ limits, now, runs });
}
