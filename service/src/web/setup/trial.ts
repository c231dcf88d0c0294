import { type CommonOptions, ConnectorError, type TokenRefresh, type TokenStore } from 'agent-connectors';
import { type Identity, type SetupGuide, type SetupSource, setupSource } from 'agent-connectors/setup';
import type { ConnectorRow } from '../../data/state/rows.js';
import { check } from '../../domain/connectors/check.js';
import { type CredentialFields, optionsFor } from '../../domain/connectors/credentials.js';
import type { AnyConnectorOptions, Definition } from '../../domain/connectors/definitions.js';
import { checkReplication } from '../../domain/connectors/replication.js';
import type { Connected, EntityTrial, ListedChoices } from './draft.js';
import type { SetupParts } from './parts.js';
import { showable } from './secrets.js';

/** Credentials to be tried. */
export interface Tried {
  readonly definition: Definition;
  readonly mode: string;
  readonly credentials: CredentialFields;
  /** Told of tokens that the vendor has put in the place of those given, where they are kept by now. */
  readonly renewed?: ((credentials: CredentialFields) => Promise<void>) | undefined;
}

/** What a trial came to: what the vendor showed, or why it let nobody in. */
export type Trial = { readonly connected: Connected } | { readonly error: string };

/** Milliseconds that a person is kept waiting for one answer, and for all reads of entities. */
const patience = { call: 20_000, entities: 20_000 } as const;
const atOnce = 4;
/** More than anyone picks from a page. */
const mostChoices = 500;

/** Whether the type can be read without having picked something first. */
export function needsPicks(definition: Definition): boolean {
  try {
    checkReplication(definition, null);
    return false;
  } catch {
    return true;
  }
}

/** Tries credentials at the vendor: whose they are, what they can read, what there is to pick from. */
export async function tryCredentials(parts: SetupParts, tried: Tried): Promise<Trial> {
  const { definition, mode } = tried;
  const current = { credentials: tried.credentials };
  const options = optionsOf(parts, tried, current);
  const words = (error: unknown) => wordsOf(error, Object.values({ ...tried.credentials, ...current.credentials }));
  const picksFirst = needsPicks(definition);
  if (!picksFirst) {
    const { status, error_message } = await checked(parts, definition, options, null);
    if (status !== 'succeeded') return { error: words(advised(status, error_message)) };
  }
  const { setup: guide } = definition;
  const source = guide && setupSource(definition.manifest, guide, options as CommonOptions);
  // Where nothing has been read yet, this is what tells whether the credentials are any good.
  const identity = await identified(definition, guide, source, picksFirst ? words : undefined);
  if ('error' in identity) return identity;
  const choices = await listed(guide, source, words);
  const entities = picksFirst ? [] : await readable(definition, options, words);
  return {
    connected: { type: definition.manifest.name, mode, credentials: current.credentials, identity, entities, choices },
  };
}

/** Makes the cheapest read with what has been picked; null where it succeeds. */
export async function tryPicks(
  parts: SetupParts,
  tried: Tried,
  replicationConfig: ConnectorRow['replicationConfig'],
): Promise<string | null> {
  const current = { credentials: tried.credentials };
  const options = optionsOf(parts, tried, current);
  const { status, error_message } = await checked(parts, tried.definition, options, replicationConfig);
  if (status === 'succeeded') return null;
  return wordsOf(advised(status, error_message), Object.values({ ...tried.credentials, ...current.credentials }));
}

function optionsOf(
  { policy, fetch, now, metrics }: SetupParts,
  { definition, credentials, renewed }: Tried,
  current: { credentials: CredentialFields },
): AnyConnectorOptions {
  const more = {
    fetch,
    tokens: tokensOf(async (tokens) => {
      current.credentials = { ...current.credentials, ...tokens };
      await renewed?.(current.credentials);
    }),
    hooks: {
      onResponse: ({ status }: { status: number }) => metrics.vendorReply(definition.manifest.name, status),
    },
    timeoutMs: patience.call,
  };
  return { ...optionsFor(definition, credentials, policy, now()), ...more };
}

/** What a check said, with what to do where it says nothing about the credentials. */
const advised = (status: string, message: string | null): string =>
  status === 'inconclusive' ? `${message} That may pass: try again in a moment.` : (message ?? '');

/** Tokens that the connectors of one trial share: some can be used once. */
function tokensOf(changed: (fields: CredentialFields) => Promise<void>): TokenStore {
  let saved: TokenRefresh | undefined;
  let line: Promise<unknown> = Promise.resolve();
  return {
    alone(work) {
      const turn = line.then(work);
      line = turn.catch(() => {});
      return turn;
    },
    load: () => saved,
    async save(tokens) {
      saved = tokens;
      const { access_token, refresh_token, expires_at, base_url } = tokens;
      const address = base_url === undefined ? {} : { base_url };
      await changed({ access_token, refresh_token, expires_at: expires_at ?? '', ...address });
    },
  };
}

/** The check that every connector is given, of one that is not there yet. */
function checked(
  { definitions, searches, now }: SetupParts,
  definition: Definition,
  options: AnyConnectorOptions,
  replicationConfig: ConnectorRow['replicationConfig'],
) {
  const at = new Date(now()).toISOString();
  const row: ConnectorRow = {
    ...{ id: '', organizationId: '', workspaceId: '', workspaceName: '', name: '', settings: {} },
    ...{ type: definition.manifest.name, replicationConfig, createdAt: at, updatedAt: at },
  };
  const instances = {
    get: async () => definition.make(options),
    optionsOf: async () => options,
    drop: () => {},
  };
  return check(row, { definitions, instances, searches }, AbortSignal.timeout(patience.call));
}

/** Failures to tell whose the credentials are that say nothing against them. */
const harmless: ReadonlySet<string> = new Set(['forbidden', 'not_found', 'invalid_response', 'vendor_error']);

async function identified(
  { manifest }: Definition,
  guide: SetupGuide | undefined,
  source: SetupSource | undefined,
  words: ((error: unknown) => string) | undefined,
): Promise<Identity | { readonly error: string }> {
  if (!guide || !source) return { name: null, detail: null };
  try {
    const { name, detail } = await guide.identify(source);
    return { name: textOf(name), detail: textOf(detail) };
  } catch (error) {
    if (words && ConnectorError.is(error) && !harmless.has(error.code)) return { error: words(error) };
    return { name: null, detail: `${manifest.title} takes the credentials, and did not tell whose they are` };
  }
}

async function listed(
  guide: SetupGuide | undefined,
  source: SetupSource | undefined,
  words: (error: unknown) => string,
): Promise<Readonly<Record<string, ListedChoices>>> {
  const found: Record<string, ListedChoices> = {};
  for (const [field, { list }] of Object.entries(guide?.choices ?? {})) {
    try {
      const choices = (await list(source!)).slice(0, mostChoices);
      const plain = choices.map(({ value, label }) => ({ value: String(value), label: String(label).slice(0, 200) }));
      found[field] = { choices: plain, error: null };
    } catch (error) {
      found[field] = { choices: [], error: words(error) };
    }
  }
  return found;
}

/** Parameters that keep a list short. */
const sizes = ['first', 'pageSize', 'page_size', 'limit'];

/** Reads a little of each searchable entity that can be listed without further ado. */
async function readable(
  definition: Definition,
  options: AnyConnectorOptions,
  words: (error: unknown) => string,
): Promise<EntityTrial[]> {
  const lists = definition.description.entities.flatMap(({ name, search, actions }) => {
    const { required = [], properties = {} } = (actions.find((action) => action.name === 'list')?.params ?? {
      required: ['list'],
    }) as { required?: string[]; properties?: object };
    const size = sizes.filter((parameter) => parameter in properties).map((parameter) => [parameter, 1]);
    return search && required.length === 0 ? [{ entity: name, params: Object.fromEntries(size) }] : [];
  });
  const connector = definition.make(options);
  const signal = AbortSignal.timeout(patience.entities);
  const results: EntityTrial[] = [];
  const queue = [...lists];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { entity, params } = next;
      const error = await connector.execute(entity, 'list', params, { signal }).then(
        () => null,
        (failure: unknown) => (isPassing(failure) ? null : words(failure)),
      );
      results.push({ entity, error });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** A vendor that is slow or busy has refused nothing. */
const isPassing = (error: unknown): boolean =>
  ConnectorError.is(error) && ['timeout', 'aborted', 'rate_limited', 'network'].includes(error.code);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 300) : null);

/** What can be shown of a failure. */
export function wordsOf(error: unknown, secrets: readonly (string | undefined)[]): string {
  if (typeof error === 'string') return showable(error, secrets);
  // What is no error of the library's may quote what the vendor sent, whatever that holds.
  if (!ConnectorError.is(error)) return 'What the vendor answered was not understood.';
  const { message, hint } = error;
  return showable(hint === undefined ? message : `${message} ${hint}`, secrets);
}
