/**
 * Code mode: a tool that runs JavaScript of an agent over connectors, in an isolate of QuickJS on a thread of its own.
 *
 * Needs Node and the packages `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`.
 * @module agent-connectors/code
 */
import { ConnectorError } from '../../call/errors.js';
import { checkOptions } from '../../call/options.js';
import type { CodeMode } from './code-mode.js';
import { enginePaths } from './isolate.js';
import { codeToolOf } from './tool.js';

export type { CodeMode, CodeTool, CodeToolset } from './code-mode.js';

/** What programs may use up, each by itself. */
export interface CodeModeOptions {
  /** Milliseconds in all, calls and approvals included; 60,000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds in which a program computes; 5,000 when left out. */
  readonly cpuMs?: number | undefined;
  /** The same counted, on any machine: a step is some thousands of passes of a loop; 20,000 when left out. */
  readonly steps?: number | undefined;
  /** Mebibytes of memory, 16 at least; 64 when left out. */
  readonly memoryMb?: number | undefined;
  /** Calls of actions; 100 when left out. */
  readonly calls?: number | undefined;
  /** What a program's clock says, which stands still; the time of its start when left out. */
  readonly now?: (() => number) | undefined;
}

const optionKinds = {
  timeoutMs: 'ms',
  cpuMs: 'ms',
  steps: 'count',
  memoryMb: 'count',
  calls: 'count',
  now: 'function',
} as const;

/** Makes the `codeMode` that `createAgentTools` takes. */
export function codeMode(options: CodeModeOptions = {}): CodeMode {
  checkOptions(options, optionKinds, 'Options of codeMode');
  const { timeoutMs = 60_000, cpuMs = 5_000, steps = 20_000, memoryMb = 64, calls = 100, now = Date.now } = options;
  if (memoryMb < 16 || memoryMb > 1_024)
    throw new ConnectorError('invalid_params', 'memoryMb must be from 16 to 1,024.');
  enginePaths();
  const memoryBytes = memoryMb * 2 ** 20;
  const limits = { timeoutMs, cpuMs, steps, memoryBytes, calls, callChars: 1_000_000, logChars: 10_000 };
  return codeToolOf({ limits, now });
}
