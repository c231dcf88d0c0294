import { type CommonOptions, ConnectorError, type TokenRefresh, type TokenStore } from 'agent-connectors';
import { type Identity, type SetupGuide, type SetupSource, setupSource } from 'agent-connectors/setup';
import type { ConnectorRow } from '../../data/state/rows.js';
import { check } from '../../domain/connectors/check.js';
import type { AnyConnectorOptions, Definition } from '../../domain/connectors/definitions.js';
import { type CredentialFields, optionsFor } from '../../domain/connectors/instances.js';
import { checkReplication } from '../api/connector-input.js';
import type { SetupDependencies } from './dependencies.js';
import type { EntityTrial, ListedChoices, VerifiedConnection } from './draft.js';
import { redactSecrets } from './secrets.js';

/** Credentials to test. */
export interface TrialInput {
  readonly definition: Definition;
  readonly mode: string;
  readonly credentials: CredentialFields;
  /** Called to save the new tokens when the vendor has replaced the given ones. */
  readonly onRenewed?: ((credentials: CredentialFields) => Promise<void>) | undefined;
}

/** Why access failed. */
interface TrialFailure {
  readonly error: string;
  /** Whether the vendor rejected the credentials themselves. */
  readonly isRejected: boolean;
}

/** Outcome of a test: the account's data, or why access failed. */
export type Trial = { readonly connection: VerifiedConnection } | TrialFailure;

const isRejection = (code: string | undefined) => code === 'unauthorized';

/** Timeouts for one call and for all entity reads while a user waits. */
const timeoutsMs = { call: 20_000, entities: 20_000 } as const;
const concurrency = 4;
/** More than anyone would pick on a page. */
const maxChoices = 500;

/** Whether nothing can be read until something is selected. */
export function needsPicks(definition: Definition): boolean {
  try {
    checkReplication(definition, null);
    return false;
  } catch {
    return true;
  }
}

/** Tests credentials with the vendor and finds out whose they are, what they can read, and what can be selected. */
export async function tryCredentials(dependencies: SetupDependencies, input: TrialInput): Promise<Trial> {
  const { definition, mode } = input;
  const current = { credentials: input.credentials };
  const options = trialOptions(dependencies, input, current);
  const toMessage = (error: unknown) =>
    failureMessage(error, Object.values({ ...input.credentials, ...current.credentials }));
  const picksFirst = needsPicks(definition);
  if (!picksFirst) {
    const { status, error_message, code } = await runCheck(dependencies, definition, options, null);
    if (status !== 'succeeded') {
      return { error: toMessage(withAdvice(status, error_message)), isRejected: isRejection(code) };
    }
  }
  const { setup: guide } = definition;
  const source = guide && setupSource(definition.manifest, guide, options as CommonOptions);
  // If nothing has been read yet, this shows whether the credentials work.
  const identity = await identifyAccount(definition, guide, source, picksFirst ? toMessage : undefined);
  if ('error' in identity) return identity;
  const choices = await listChoices(guide, source, toMessage);
  const entities = picksFirst ? [] : await probeEntities(definition, options, toMessage);
  return {
    connection: { type: definition.manifest.name, mode, credentials: current.credentials, identity, entities, choices },
  };
}

/** Performs the cheapest read with the selection; null on success. */
export async function tryPicks(
  dependencies: SetupDependencies,
  input: TrialInput,
  replicationConfig: ConnectorRow['replicationConfig'],
): Promise<string | null> {
  const current = { credentials: input.credentials };
  const options = trialOptions(dependencies, input, current);
  const { status, error_message } = await runCheck(dependencies, input.definition, options, replicationConfig);
  if (status === 'succeeded') return null;
  return failureMessage(
    withAdvice(status, error_message),
    Object.values({ ...input.credentials, ...current.credentials }),
  );
}

/** Options for a connector with credentials that are not stored yet; `current` receives renewed tokens. */
export function trialOptions(
  { addressPolicy, fetch, now, metrics }: SetupDependencies,
  { definition, credentials, onRenewed }: TrialInput,
  current: { credentials: CredentialFields },
): AnyConnectorOptions {
  const more = {
    fetch,
    tokens: sharedTokenStore(async (tokens) => {
      current.credentials = { ...current.credentials, ...tokens };
      await onRenewed?.(current.credentials);
    }),
    hooks: {
      onResponse: ({ status }: { status: number }) => metrics.vendorReply(definition.manifest.name, status),
    },
    timeoutMs: timeoutsMs.call,
  };
  return { ...optionsFor(definition, credentials, addressPolicy, now()), ...more };
}

/** A check's message, with advice if it does not concern the credentials. */
const withAdvice = (status: string, message: string | null): string =>
  status === 'inconclusive' ? `${message} This may be temporary: try again in a moment.` : (message ?? '');

/** Tokens shared by the connectors of one trial, since some are single-use. */
function sharedTokenStore(onChange: (fields: CredentialFields) => Promise<void>): TokenStore {
  let saved: TokenRefresh | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  return {
    alone(work) {
      const turn = queue.then(work);
      queue = turn.catch(() => {});
      return turn;
    },
    load: () => saved,
    async save(tokens) {
      saved = tokens;
      const { access_token, refresh_token, expires_at, base_url } = tokens;
      const address = base_url === undefined ? {} : { base_url };
      await onChange({ access_token, refresh_token, expires_at: expires_at ?? '', ...address });
    },
  };
}

/** The regular connector check, for a connector that does not exist yet. */
function runCheck(
  { now }: SetupDependencies,
  definition: Definition,
  options: AnyConnectorOptions,
  replicationConfig: ConnectorRow['replicationConfig'],
) {
  const at = new Date(now()).toISOString();
  const row: ConnectorRow = {
    id: '',
    organizationId: '',
    workspaceId: '',
    workspaceName: '',
    name: '',
    settings: {},
    type: definition.manifest.name,
    replicationConfig,
    createdAt: at,
    updatedAt: at,
    account: null,
    health: null,
    credentialsVersion: 0,
  };
  const signal = AbortSignal.timeout(timeoutsMs.call);
  return check(row, definition, ({ entity, action, params }) =>
    definition.make(options).execute(entity, action, params, { signal }),
  );
}

/** Account lookup errors that do not mean the credentials are invalid. */
const harmlessCodes: ReadonlySet<string> = new Set(['forbidden', 'not_found', 'invalid_response', 'vendor_error']);

async function identifyAccount(
  { manifest }: Definition,
  guide: SetupGuide | undefined,
  source: SetupSource | undefined,
  toMessage: ((error: unknown) => string) | undefined,
): Promise<Identity | TrialFailure> {
  if (!guide || !source) return { name: null, detail: null };
  try {
    const { name, detail, id } = await guide.identify(source);
    return { name: textOf(name), detail: textOf(detail), id: textOf(id) ?? undefined };
  } catch (error) {
    if (toMessage && ConnectorError.is(error) && !harmlessCodes.has(error.code)) {
      return { error: toMessage(error), isRejected: isRejection(error.code) };
    }
    return {
      name: null,
      detail: `${manifest.title} accepted the credentials but did not report which account they belong to`,
    };
  }
}

async function listChoices(
  guide: SetupGuide | undefined,
  source: SetupSource | undefined,
  toMessage: (error: unknown) => string,
): Promise<Readonly<Record<string, ListedChoices>>> {
  const found: Record<string, ListedChoices> = {};
  for (const [field, { list }] of Object.entries(guide?.choices ?? {})) {
    try {
      const choices = (await list(source!)).slice(0, maxChoices);
      const plain = choices.map(({ value, label }) => ({ value: String(value), label: String(label).slice(0, 200) }));
      found[field] = { choices: plain, error: null };
    } catch (error) {
      found[field] = { choices: [], error: toMessage(error) };
    }
  }
  return found;
}

/** Parameters that limit a list. */
const pageSizeParameters = ['first', 'pageSize', 'page_size', 'limit'];

/** Reads a small sample of each searchable entity that has a list without required parameters. */
async function probeEntities(
  definition: Definition,
  options: AnyConnectorOptions,
  toMessage: (error: unknown) => string,
): Promise<EntityTrial[]> {
  const lists = definition.description.entities.flatMap(({ name, search, actions }) => {
    const { required = [], properties = {} } = (actions.find((action) => action.name === 'list')?.params ?? {
      required: ['list'],
    }) as { required?: string[]; properties?: object };
    const size = pageSizeParameters.filter((parameter) => parameter in properties).map((parameter) => [parameter, 1]);
    return search && required.length === 0 ? [{ entity: name, params: Object.fromEntries(size) }] : [];
  });
  const connector = definition.make(options);
  const signal = AbortSignal.timeout(timeoutsMs.entities);
  const results: EntityTrial[] = [];
  const queue = [...lists];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { entity, params } = next;
      const error = await connector.execute(entity, 'list', params, { signal }).then(
        () => null,
        (failure: unknown) => (isTransient(failure) ? null : toMessage(failure)),
      );
      results.push({ entity, error });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

/** A slow or busy vendor has not rejected anything. */
const isTransient = (error: unknown): boolean =>
  ConnectorError.is(error) && ['timeout', 'aborted', 'rate_limited', 'network'].includes(error.code);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 300) : null);

/** A failure message safe to display. */
export function failureMessage(error: unknown, secrets: readonly (string | undefined)[]): string {
  if (typeof error === 'string') return redactSecrets(error, secrets);
  // Errors from outside the library may quote arbitrary data from the vendor.
  if (!ConnectorError.is(error)) return 'The vendor sent an unexpected response.';
  const { message, hint } = error;
  return redactSecrets(hint === undefined ? message : `${message} ${hint}`, secrets);
}
