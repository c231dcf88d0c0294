import { checkOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { Approve } from './approval.js';
import type { CodeMode } from './code/code-mode.js';
import type { OnFile } from './file.js';
import type { HandleSigner } from './handle.js';
import type { SearchAll } from './search-tool.js';
import { type CountTokens, estimateTokens } from './tokens.js';

/** Permissions and limits for the tools. */
export interface AgentToolsOptions {
  /** Prefix for tool names, joined with `_`, for several toolsets in one agent. */
  readonly prefix?: string | undefined;
  /** Rejects writes and does not offer them. */
  readonly readOnly?: boolean | undefined;
  /** Allowed actions, as `entity.action` with `*` for any; all by default. */
  readonly allow?: readonly string[] | undefined;
  /** Called before every write is sent; anything but `true` rejects it, or leaves it pending. */
  readonly approve?: Approve | undefined;
  /** Offers writes through a separate tool, `execute_write`, so that a client can distinguish the calls. */
  readonly split?: boolean | undefined;
  /**
   * Searches everything the connectors have replicated, for example with the `search` method of a service's client;
   * adds the `search` tool.
   */
  readonly searchAll?: SearchAll | undefined;
  /** Maximum tokens per result; 20,000 by default. The rest can be read later. */
  readonly maxOutputTokens?: number | undefined;
  /** Counts the tokens in a text for the model; by default they are estimated, erring on the high side. */
  readonly countTokens?: CountTokens | undefined;
  /** Signs the handles of truncated results; by default, they are not signed. */
  readonly signer?: HandleSigner | undefined;
  /** Stores downloaded files and returns their handles; by default, their bytes are discarded. */
  readonly onFile?: OnFile | undefined;
  /**
   * Adds `run_code`, which lets code written by the model call the same actions: `codeMode()` from
   * `agent-connectors/code`.
   */
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
  signer: 'object',
  onFile: 'function',
  codeMode: 'function',
} as const;

const minTokens = 500;

/** Validates options and fills in defaults. */
export function readOptions(options: AgentToolsOptions) {
  checkOptions(options, optionKinds, 'Options for createAgentTools');
  const { prefix, maxOutputTokens = 20_000, countTokens = estimateTokens, readOnly = false, split = false } = options;
  if (prefix !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(prefix)) {
    throw new ConnectorError(
      'invalid_params',
      'prefix must start with a letter, contain only letters, digits, _ and -, and be up to 41 characters long.',
    );
  }
  if (maxOutputTokens < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
  return { ...options, maxOutputTokens, countTokens, readOnly, split };
}
