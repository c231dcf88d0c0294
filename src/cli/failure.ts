import { ConnectorError, type ConnectorErrorDetails, type ErrorCode } from '../errors/connector-error.js';
import { redactText } from '../errors/redact.js';

/** Details to add to an error's line. */
export interface FailureDetails extends ConnectorErrorDetails {
  /** Additional data for programs, such as the key to repeat a write with. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly type?: string | undefined;
}

const detailsByError = new WeakMap<ConnectorError, Pick<FailureDetails, 'extra' | 'type'>>();

/** Creates an error raised by the CLI itself. */
export function failure(code: ErrorCode, message: string, { extra, type, ...rest }: FailureDetails = {}) {
  return withDetails(new ConnectorError(code, message, rest), { extra, type });
}

/** A usage error. */
export const usageError = (message: string, details: FailureDetails = {}): ConnectorError =>
  failure('invalid_params', message, details);

/** Adds details to an error's line. */
export function withDetails(error: ConnectorError, details: Pick<FailureDetails, 'extra' | 'type'>): ConnectorError {
  detailsByError.set(error, { ...detailsByError.get(error), ...details });
  return error;
}

const errorTypes: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'unauthorized',
  invalid_credentials: 'unauthorized',
  scope_missing: 'forbidden',
  forbidden: 'forbidden',
  not_found: 'not_found',
  invalid_params: 'validation_error',
  unknown_entity: 'validation_error',
  unknown_action: 'validation_error',
  hosted_only: 'validation_error',
  rate_limited: 'rate_limited',
  quota_exhausted: 'rate_limited',
};

/** Exit code after a signal, following the shell convention. */
export const interruptedExitCode = 130;

const exitCodes: Readonly<Record<string, number>> = {
  unauthorized: 2,
  forbidden: 2,
  not_found: 3,
  validation_error: 4,
  unknown_command: 4,
  interrupted: interruptedExitCode,
};

/** Converts anything thrown to the reported error; unexpected errors show only their message. */
export function asConnectorError(thrown: unknown): ConnectorError {
  if (ConnectorError.is(thrown)) return thrown;
  const { code, message = String(thrown) } = (thrown ?? {}) as { code?: unknown; message?: string };
  const hint = typeof code === 'string' ? fileErrorHints[code] : undefined;
  const what = code === 'ENOSPC' ? `the disk is full (${message})` : message;
  const error = new ConnectorError('aborted', `The command failed: ${what}`, { hint, cause: thrown });
  // The library has no error code for disk errors, and nothing was aborted.
  return hint === undefined ? error : withDetails(error, { extra: { code: 'failed' } });
}

/** Advice for file system errors. */
const fileErrorHints: Readonly<Record<string, string>> = {
  EACCES: 'Check the folder’s permissions.',
  EPERM: 'Check the folder’s permissions.',
  ENOSPC: 'Free some space, or choose another disk.',
  EROFS: 'The disk is read-only.',
  ENOTDIR: 'Part of the path is a file, not a folder.',
};

/** Library option names in messages, and their CLI equivalents. */
const cliOptionNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bhosted\.baseUrl\b/g, 'base_url'],
  [/\bhosted\.clientId\b/g, 'client_id'],
  [/\bhosted\.clientSecret\b/g, 'client_secret'],
  [/\bhosted\.workspace\b/g, 'workspace'],
  [
    /pass `hosted: \{ baseUrl, clientId, clientSecret \}`, with or without credentials/g,
    'run agent-connectors login and omit --local',
  ],
  [/pass overwrite: true to replace it/g, 'pass --force to replace it'],
  [/Prepare it with POST \S+\/execute\/prepare\./g, 'Run agent-connectors approvals request with the same JSON.'],
  [/execute it with its plan_id/g, 'run agent-connectors approvals execute'],
  [/with POST \/api\/v1\/plans\/\S+\/approve/g, 'with agent-connectors approvals approve'],
  [
    /Request a token with "scopes" that include (\w+)\. A client's scopes/g,
    "Log in with a client id and secret that have the $1 scope; a login in a browser has read and write at most. A client's scopes",
  ],
  [/\bselectFields\b/g, 'select_fields'],
  [/\bexcludeFields\b/g, 'exclude_fields'],
];

/** Commands that help with errors that have no hint. */
const commandHints: ReadonlyArray<readonly [RegExp, string]> = [
  [/^There is no (connector|documentation) '/, 'Run agent-connectors connectors list.'],
  [
    /^This token is limited to one workspace;/,
    'Log in with a client id and secret; a login in a browser is for one workspace.',
  ],
  [/^There is no workspace '/, 'Run agent-connectors workspaces list.'],
  [/^There is no plan '/, 'Run agent-connectors approvals list.'],
];

/** The redacted object for standard error, and the exit code. */
export function reportOf(
  error: ConnectorError,
  secrets: readonly string[],
): { readonly report: Readonly<Record<string, unknown>>; readonly exit: number } {
  const clean = (text: string) =>
    cliOptionNames.reduce((cleanText, [name, here]) => cleanText.replaceAll(name, here), redactText(text, secrets));
  const command = commandHints.find(([pattern]) => pattern.test(error.message));
  const { code, message, hint = command?.[1], retryable, retryAfterMs, status, issues, vendor } = error;
  const { extra, type = errorTypes[code] ?? 'error' } = detailsByError.get(error) ?? {};
  const report = {
    type,
    code,
    message,
    hint: hint ?? null,
    retryable,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    ...(status !== undefined && { status }),
    ...(issues && { issues }),
    ...(vendor && { vendor: { code: vendor.code, message: vendor.message, request_id: vendor.requestId } }),
    ...extra,
  };
  return { report: cleanStrings(report, clean) as Record<string, unknown>, exit: exitCodes[type] ?? 1 };
}

function cleanStrings(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanStrings(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleanStrings(item, clean)]));
}
