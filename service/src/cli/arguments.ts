import { parseArgs } from 'node:util';
import { nearest } from 'agent-connectors';
import { maxOverlapSeconds } from 'agent-connectors/wire';
import { type LogLevel, logLevels } from '../common/log.js';
import { momentOf } from '../common/moment.js';
import { type Person, type TokenScope, tokenScopes } from '../data/state/rows.js';
import { personOf } from '../domain/accounts/person.js';
import type { ConnectorClasses } from '../domain/connectors/definitions.js';
import { daysOf, optionsFrom, portOf, type ServiceOptions } from '../options.js';

/** A parsed command line. */
export interface Arguments {
  /** The command name; empty to start the service. */
  readonly command: string;
  readonly rest: readonly string[];
  readonly options: ServiceOptions;
  readonly json: boolean;
  /** The minimum level to log. */
  readonly logLevel: LogLevel;
  readonly help: boolean;
  readonly version: boolean;
  readonly name: string | undefined;
  readonly organizations: readonly string[];
  /** Texts that identify a person: email addresses, names, ids. */
  readonly about: readonly string[];
  /** Whether to erase without asking. */
  readonly yes: boolean;
  /** The client's scopes; undefined grants all of them. */
  readonly scopes: readonly TokenScope[] | undefined;
  /** The user that a client is bound to. */
  readonly asUser: Person | null;
  /** How long a replaced secret stays valid, in seconds. */
  readonly overlapSeconds: number | undefined;
  /** Whether a new secret ends the client's tokens; without an overlap, it always does. */
  readonly endTokens: boolean;
  /** Folder to write the backup to. */
  readonly to: string | undefined;
  /** Whether to include the `key` file in the backup. */
  readonly withKey: boolean;
  /** Whether to print a console sign-in link at startup. */
  readonly printLoginLink: boolean;
  /** Whether a key rotation also replaces the data keys. */
  readonly renewDataKeys: boolean;
  /** Whether to distribute the records across the nodes of a Citus cluster. */
  readonly distribute: boolean;
  /** Time range of the audit entries to export, in ISO 8601. */
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** All options of all commands. */
const commandOptions = {
  data: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  dev: { type: 'boolean' },
  'create-key': { type: 'boolean' },
  'key-command': { type: 'string' },
  distribute: { type: 'boolean', default: false },
  'data-keys': { type: 'boolean', default: false },
  'audit-retention': { type: 'string' },
  'audit-log': { type: 'string' },
  'log-level': { type: 'string' },
  from: { type: 'string' },
  until: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  connectors: { type: 'string', multiple: true },
  endpoints: { type: 'string' },
  'max-body-bytes': { type: 'string' },
  embedder: { type: 'string' },
  'rerank-url': { type: 'string' },
  objects: { type: 'string' },
  'no-replication': { type: 'boolean' },
  'public-url': { type: 'string' },
  'no-client-metadata-documents': { type: 'boolean' },
  'mcp-allow-writes': { type: 'boolean' },
  'mcp-allow-origin': { type: 'string', multiple: true },
  'host-name': { type: 'string', multiple: true },
  'trusted-proxies': { type: 'string' },
  'local-metrics': { type: 'boolean' },
  limits: { type: 'string' },
  'print-login-link': { type: 'boolean', default: false },
  name: { type: 'string' },
  to: { type: 'string' },
  'with-key': { type: 'boolean', default: false },
  organization: { type: 'string', multiple: true },
  about: { type: 'string', multiple: true },
  yes: { type: 'boolean', default: false },
  scopes: { type: 'string' },
  'as-user': { type: 'string' },
  'as-group': { type: 'string', multiple: true },
  overlap: { type: 'string' },
  'end-tokens': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const;

/** Modules listed in `--connectors`; `readArguments` checks the rest of the command line. */
export function modulesIn(args: readonly string[]): string[] {
  const options = { connectors: { type: 'string', multiple: true } } as const;
  const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  return (values.connectors ?? []).filter((module) => typeof module === 'string');
}

/** Parses a command line. Its options take precedence over the environment. */
export function readArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  connectors?: ConnectorClasses,
): Arguments {
  rejectUnknownOption(args);
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: commandOptions });
  const [command = '', ...rest] = positionals;
  const { 'audit-retention': retention, from, until } = values;
  if (from !== undefined && until !== undefined && requireMoment(from, '--from') > requireMoment(until, '--until')) {
    throw new RangeError('--from is later than --until.');
  }
  const { endpoints, 'allow-host': allowHosts, 'mcp-allow-origin': origins, 'max-body-bytes': maxBodyBytes } = values;
  const mergedEnvironment = {
    ...environment,
    ...(endpoints !== undefined && { AGENT_CONNECTORS_ENDPOINTS: endpoints }),
    ...(allowHosts && { AGENT_CONNECTORS_ALLOW_HOSTS: allowHosts.join(',') }),
    ...(origins && { AGENT_CONNECTORS_MCP_ALLOW_ORIGINS: origins.join(',') }),
    ...(values['host-name'] && { AGENT_CONNECTORS_HOST_NAMES: values['host-name'].join(',') }),
    ...(values['trusted-proxies'] !== undefined && { AGENT_CONNECTORS_TRUSTED_PROXIES: values['trusted-proxies'] }),
    ...(values['local-metrics'] && { AGENT_CONNECTORS_LOCAL_METRICS: '1' }),
    ...(values.limits !== undefined && { AGENT_CONNECTORS_LIMITS: values.limits }),
    ...(values.embedder !== undefined && { AGENT_CONNECTORS_EMBEDDER: values.embedder }),
    ...(values.objects !== undefined && { AGENT_CONNECTORS_OBJECTS: values.objects }),
    ...(values['rerank-url'] !== undefined && { AGENT_CONNECTORS_RERANK_URL: values['rerank-url'] }),
    ...(values['public-url'] !== undefined && { AGENT_CONNECTORS_PUBLIC_URL: values['public-url'] }),
    ...(values['no-replication'] && { AGENT_CONNECTORS_REPLICATION: '0' }),
    ...(values['no-client-metadata-documents'] && { AGENT_CONNECTORS_CLIENT_METADATA_DOCUMENTS: '0' }),
    ...(values['mcp-allow-writes'] && { AGENT_CONNECTORS_MCP_ALLOW_WRITES: '1' }),
  };
  return {
    command,
    rest,
    options: {
      ...optionsFrom(mergedEnvironment, connectors),
      ...(values.data !== undefined && { dataFolder: values.data }),
      ...(values.host !== undefined && { host: values.host }),
      ...(values.port !== undefined && { port: portOf(values.port, '--port') }),
      ...(values.dev && { dev: true }),
      ...(values['create-key'] && { createKey: true }),
      ...(values['key-command'] !== undefined && { keyCommand: values['key-command'] }),
      ...(retention !== undefined && { auditRetentionDays: daysOf(retention, '--audit-retention') }),
      ...(values['audit-log'] !== undefined && { auditFile: values['audit-log'] }),
      ...(maxBodyBytes !== undefined && { maxBodyBytes: bytesOf(maxBodyBytes) }),
    },
    json: values.json,
    logLevel:
      values['log-level'] === undefined
        ? logLevelIn(environment.AGENT_CONNECTORS_LOG_LEVEL || 'info', 'AGENT_CONNECTORS_LOG_LEVEL')
        : logLevelIn(values['log-level'], '--log-level'),
    help: values.help,
    version: values.version,
    name: values.name,
    to: values.to,
    withKey: values['with-key'],
    organizations: values.organization ?? [],
    about: values.about ?? [],
    yes: values.yes,
    scopes: values.scopes === undefined ? undefined : scopesIn(values.scopes),
    asUser: personOf(values['as-user'], values['as-group']),
    overlapSeconds: values.overlap === undefined ? undefined : overlapIn(values.overlap),
    endTokens: values['end-tokens'],
    printLoginLink: values['print-login-link'],
    renewDataKeys: values['data-keys'],
    distribute: values.distribute,
    from: from === undefined ? undefined : requireMoment(from, '--from'),
    until: until === undefined ? undefined : requireMoment(until, '--until'),
  };
}

/**
 * Rejects options without a value and unknown options, suggesting the closest known one. The value is never repeated,
 * since it may be a secret.
 */
function rejectUnknownOption(args: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...args], options: commandOptions, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (Object.hasOwn(commandOptions, token.name)) {
      const { type } = commandOptions[token.name as keyof typeof commandOptions];
      const isMissing = token.value === undefined || (!token.inlineValue && /^-./.test(token.value));
      if (type === 'string' && isMissing) throw new RangeError(`${token.rawName} needs a value.`);
      continue;
    }
    const close = nearest(token.name, Object.keys(commandOptions));
    const hint = close ? ` Did you mean '--${close}'?` : '';
    throw new RangeError(`Unknown option '${token.rawName.slice(0, 100)}'.${hint}`);
  }
}

function logLevelIn(text: string, source: string): LogLevel {
  const level = logLevels.find((one) => one === text);
  if (level) return level;
  throw new RangeError(`${source} must be one of ${logLevels.join(', ')}.`);
}

function scopesIn(text: string): TokenScope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !tokenScopes.some((scope) => scope === name));
  if (unknown !== undefined) throw new RangeError(`--scopes has '${unknown}'. Scopes: ${tokenScopes.join(', ')}.`);
  return tokenScopes.filter((scope) => names.includes(scope));
}

function overlapIn(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= maxOverlapSeconds) return seconds;
  throw new RangeError(`--overlap must be a whole number of seconds from 0 to ${maxOverlapSeconds}.`);
}

function requireMoment(text: string, source: string): string {
  const moment = momentOf(text);
  if (moment === undefined)
    throw new RangeError(`${source} must be a date or date-time, such as 2026-05-04T12:00:00Z.`);
  return moment;
}

function bytesOf(text: string): number {
  const bytes = Number(text);
  if (!/^\d+$/.test(text) || bytes < 1 || !Number.isSafeInteger(bytes)) {
    throw new RangeError('--max-body-bytes must be a whole number above 0.');
  }
  return bytes;
}
