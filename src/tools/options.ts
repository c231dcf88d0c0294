import { ConnectorError } from '../call/errors.js';
import { checkOptions } from '../call/options.js';
import type { Approve } from './approval.js';
import type { CodeMode } from './code/code-mode.js';
import type { OnFile } from './file.js';
import type { SearchAll } from './search-tool.js';
import { type CountTokens, estimateTokens } from './tokens.js';

/** What the tools may do, and how much they may say. */
export interface AgentToolsOptions {
  /** Put before the tools' names, with `_` between, for several toolsets in one agent. */
  readonly prefix?: string | undefined;
  /** Refuses whatever changes data, and does not offer it. */
  readonly readOnly?: boolean | undefined;
  /** What may be done, as `entity.action` with `*` for any; everything when left out. */
  readonly allow?: readonly string[] | undefined;
  /** Asked before every write that would be sent; whatever it answers but `true` refuses it, or lets it wait. */
  readonly approve?: Approve | undefined;
  /** Offers writes by a tool of their own, `execute_write`, so that a client can tell calls of the two apart. */
  readonly split?: boolean | undefined;
  /** Searches all that the connectors have replicated, such as `search` of a service's client: adds the tool `search`. */
  readonly searchAll?: SearchAll | undefined;
  /** Tokens that a result takes at most; 20,000 when left out. The rest is kept to be read on. */
  readonly maxOutputTokens?: number | undefined;
  /** Counts the tokens of a text as the model does; without it they are estimated, rather too many than too few. */
  readonly countTokens?: CountTokens | undefined;
  /** Keeps files that actions download, and says by which handle they are found; without it their bytes go nowhere. */
  readonly onFile?: OnFile | undefined;
  /** Adds `run_code`, which runs code of the model over the same actions: `codeMode()` of `agent-connectors/code`. */
  readonly codeMode?: CodeMode | undefined;
}

const optionKinds = {
  prefix: 'text',
  readOnly: 'boolean',
  allow: 'strings',
  approve: 'function',
  split: 'boolean',
  searchAll: 'function',
  maxOutputTokens: 'count',
  countTokens: 'function',
  onFile: 'function',
  codeMode: 'function',
} as const;

const minTokens = 500;

/** Refuses options of a wrong name or kind, and says what holds where one is left out. */
export function readOptions(options: AgentToolsOptions) {
  checkOptions(options, optionKinds, 'Options of createAgentTools');
  const { prefix, maxOutputTokens = 20_000, countTokens = estimateTokens, readOnly = false, split = false } = options;
  if (prefix !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(prefix)) {
    throw new ConnectorError('invalid_params', 'prefix must be a letter, then letters, digits, _ or -, 41 at most.');
  }
  if (maxOutputTokens < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
  return { ...options, maxOutputTokens, countTokens, readOnly, split };
}
