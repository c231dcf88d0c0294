import { StateConflict } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setups.js';
import { noteChange } from '../../domain/audit/deeds.js';
import { type CredentialFields, checkCredentials } from '../../domain/connectors/credentials.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { Refusal } from '../../domain/refusal.js';
import { askConsent, redirectAddress } from './consent.js';
import { type Draft, keepDraft, lasting, type Renewed, readDraft } from './draft.js';
import { finish } from './finish.js';
import { credentialsPage } from './pages/credentials-page.js';
import { donePage } from './pages/ends.js';
import type { Fault } from './pages/layout.js';
import { picksPage } from './pages/picks-page.js';
import { typePage } from './pages/type-page.js';
import { labelOf } from './pages/words.js';
import type { SetupParts } from './parts.js';
import { faultsOf, picksOf, readPicks, toStore, usualPicks } from './picks.js';
import { needsPicks, tryCredentials, tryPicks } from './trial.js';
import { inputId, type Way, waysOf } from './ways.js';

/** One visit of a setup's address, while the setup is pending. */
export interface Visit {
  readonly parts: SetupParts;
  readonly setup: SetupRow;
  /** The setup's own token, which is a part of its address. */
  readonly token: string;
  readonly draft: Draft;
  readonly requestId: string;
}

/** What a step comes to: a page, `stay` for the next step's page, or `gone` where the setup has ended. */
export type Outcome = Response | 'stay' | 'gone';

/** Shows the step that comes next. */
export async function show({ parts, setup, draft }: Visit): Promise<Response> {
  const faults: Fault[] = draft.notice === undefined ? [] : [{ message: draft.notice }];
  if (setup.type === null) return typePage(setup, await parts.definitions.all(), faults);
  const definition = await parts.definitions.of(setup.type);
  const { connected, given } = draft;
  if (!connected) {
    const { mode, kind, clientId } = draft.tried ?? {};
    const way = waysOf(definition, parts.oauthClients).find((one) => one.mode === mode && one.kind === kind);
    const values: Record<string, string> = clientId === undefined ? {} : { client_id: clientId };
    return credentialsAgain({ parts, setup, draft }, definition, faults, way && { way, values });
  }
  const picks = await picksOf(definition);
  const scope = { organizationId: setup.organizationId, workspaceId: setup.workspaceId };
  const waiting = setup.connectorId === null ? undefined : await parts.state.connectors.get(scope, setup.connectorId);
  const usual = usualPicks(picks, connected, { ...waiting?.replicationConfig, ...given?.replicationConfig });
  const picked = { ...usual, settings: { ...waiting?.settings, ...given?.settings } };
  return picksPage({ setup, definition, connected, picks, picked });
}

/** Takes the form of a step. */
export async function take(visit: Visit, form: URLSearchParams): Promise<Outcome> {
  const { parts, setup, draft } = visit;
  const { setups } = parts;
  const step = form.get('step');
  if (setup.type === null || step === 'type') return chosen(visit, form.get('type') ?? '');
  const definition = await parts.definitions.of(setup.type);
  switch (step) {
    case 'other':
      if (draft.chosenHere) await setups.choose(setup.id, null);
      return 'stay';
    case 'again':
      return (await keepDraft(setups, setup.id, lasting(draft))) ? 'stay' : 'gone';
    case 'credentials':
    case 'authorize':
      return credentials(visit, definition, form);
    case 'picks':
      return draft.connected ? picked(visit, definition, form) : 'stay';
    default:
      return 'stay';
  }
}

async function chosen({ parts, setup, draft }: Visit, type: string): Promise<Outcome> {
  // Chosen by the program, or by the person already, whose page of it is an old one.
  if (setup.type !== null) return 'stay';
  if (!parts.definitions.names.includes(type)) {
    const faults = [{ message: 'Choose one of these.' }];
    return typePage(setup, await parts.definitions.all(), faults);
  }
  const { setups } = parts;
  if (!(await setups.choose(setup.id, type))) return 'gone';
  return (await keepDraft(setups, setup.id, { ...lasting(draft), chosenHere: true })) ? 'stay' : 'gone';
}

async function credentials(visit: Visit, definition: Definition, form: URLSearchParams): Promise<Outcome> {
  const { parts, setup, draft, token } = visit;
  const { setups, oauthClients, policy } = parts;
  const ways = waysOf(definition, oauthClients);
  const way = ways.find(({ mode, kind }) => mode === form.get('mode') && kind === form.get('kind'));
  if (!way) return 'stay';
  if (!(await setups.count(setup.id))) return 'gone';
  const typed = Object.fromEntries(
    way.fields.flatMap(({ name }) => {
      const value = form.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
  const { values, credentials, isKept } = withKept(draft, definition, way, typed);
  const again = (faults: readonly Fault[]) => credentialsAgain(visit, definition, faults, { way, values: typed });
  const missing = way.fields.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0) {
    return again(missing.map(({ name }) => ({ input: inputId(way, name), message: `${labelOf(name)} is needed.` })));
  }
  if (way.kind !== 'fields') {
    const own = way.kind === 'operator' ? oauthClients[definition.manifest.name]! : undefined;
    const clientId = own?.clientId ?? values.client_id!;
    const clientSecret = own?.clientSecret ?? values.client_secret!;
    const application = { mode: way.mode, kind: way.kind, clientId, clientSecret };
    return (await askConsent(parts, setup, definition, application, draft, token)) ?? 'gone';
  }
  try {
    checkCredentials(definition, values, {}, policy);
  } catch (error) {
    return again(faultsAt(error, way));
  }
  const keeping = isKept ? draft : { ...draft, renewed: undefined };
  const outcome = await connect({ parts, setup, draft: keeping }, definition, way.mode, credentials, typed);
  if (typeof outcome === 'string') return outcome;
  const { error, renewed } = outcome;
  if (renewed) {
    const { title } = definition.manifest;
    const message = `${error} ${title} has replaced the refresh token meanwhile, and the new one is kept: leave the secrets empty to try again.`;
    return credentialsAgain({ parts, setup, draft: { ...draft, renewed } }, definition, [{ message }], {
      ...{ way, values: typed },
    });
  }
  const first = way.fields.find(({ secret }) => secret) ?? way.fields[0];
  return again([{ input: first && inputId(way, first.name), message: error }]);
}

const tokens = ['refresh_token', 'access_token'];

/** What was typed, with what a vendor has put in the place of it meanwhile. */
function withKept({ renewed }: Draft, { manifest }: Definition, { mode, kind }: Way, typed: CredentialFields) {
  const isKept =
    kind === 'fields' &&
    renewed?.type === manifest.name &&
    renewed.mode === mode &&
    tokens.every((name) => typed[name] === undefined || typed[name] === renewed.typed[name]);
  if (!isKept) return { values: typed, credentials: typed, isKept };
  const own = Object.entries(typed).filter(([name]) => !tokens.includes(name));
  const credentials: CredentialFields = { ...renewed.credentials, ...Object.fromEntries(own) };
  const { expires_at, ...values } = credentials;
  return { values, credentials, isKept };
}

/** Tries credentials and keeps those that the vendor takes. */
export async function connect(
  { parts, setup, draft }: Pick<Visit, 'parts' | 'setup' | 'draft'>,
  definition: Definition,
  mode: string,
  credentials: CredentialFields,
  typed: CredentialFields,
): Promise<'stay' | 'gone' | { readonly error: string; readonly renewed?: Renewed | undefined }> {
  let { renewed } = draft;
  const trial = await tryCredentials(parts, {
    ...{ definition, mode, credentials },
    async renewed(fields) {
      renewed = { type: definition.manifest.name, mode, typed, credentials: fields };
      await keepDraft(parts.setups, setup.id, { ...lasting(draft), renewed });
    },
  });
  const { organizationId, workspaceId } = setup;
  const outcome = 'error' in trial ? 'invalid_credentials' : 'success';
  await noteChange(parts.state.audit, { event: 'setup.tried', organizationId, workspaceId, outcome });
  if ('error' in trial) return { error: trial.error, renewed };
  return (await keepDraft(parts.setups, setup.id, { ...lasting(draft), connected: trial.connected })) ? 'stay' : 'gone';
}

async function picked(
  { parts, setup, draft, requestId }: Visit,
  definition: Definition,
  form: URLSearchParams,
): Promise<Outcome> {
  const connected = draft.connected!;
  const picks = await picksOf(definition);
  const given = readPicks(picks, form);
  const again = (faults: readonly Fault[]) => picksPage({ setup, definition, connected, picks, picked: given, faults });
  const faults = faultsOf(definition, given);
  if (faults.length > 0) return again(faults);
  const replicationConfig = toStore(picks, given);
  let latest = connected;
  if (needsPicks(definition)) {
    if (!(await parts.setups.count(setup.id))) return 'gone';
    const { mode, credentials } = connected;
    const renewed = async (fields: CredentialFields) => {
      latest = { ...connected, credentials: fields };
      await keepDraft(parts.setups, setup.id, { ...draft, connected: latest });
    };
    const message = await tryPicks(parts, { definition, mode, credentials, renewed }, replicationConfig);
    if (message !== null) return again([{ input: picks.fields[0]?.name, message }]);
  }
  try {
    const { settings } = given;
    const type = definition.manifest.name;
    const isDone = await finish(parts, setup, { type, connected: latest, replicationConfig, settings }, requestId);
    return isDone ? donePage(setup, definition.manifest.title, picks.entities.length > 0) : 'gone';
  } catch (error) {
    if (!(error instanceof StateConflict)) throw error;
    await parts.setups.fail(setup.id, error.message);
    return 'gone';
  }
}

/** The page of credentials, with what is wrong and what of it may be shown again. */
function credentialsAgain(
  { parts, setup, draft }: Pick<Visit, 'parts' | 'setup' | 'draft'>,
  definition: Definition,
  faults: readonly Fault[],
  tried?: { readonly way: Way; readonly values: Readonly<Record<string, string>> },
): Promise<Response> {
  return credentialsPage({
    ...{ setup, definition, faults, tried, redirect: redirectAddress(parts) },
    ways: waysOf(definition, parts.oauthClients),
    chosenHere: draft.chosenHere ?? false,
    kept: draft.renewed?.type === setup.type ? draft.renewed?.mode : undefined,
  });
}

/** What is wrong with the form of credentials, at their inputs. */
function faultsAt(error: unknown, way: Way): Fault[] {
  if (!(error instanceof Refusal)) throw error;
  return (error.errors ?? []).map(({ field, message }) => {
    const name = field.replace(/^credentials\.?/, '');
    const isOwn = way.fields.some((one) => one.name === name);
    return isOwn ? { input: inputId(way, name), message: `This ${message}.` } : { message };
  });
}

/** What is known of a setup that is pending. */
export async function visitOf(parts: SetupParts, setup: SetupRow, token: string, requestId: string): Promise<Visit> {
  const { connected, ...draft } = await readDraft(parts.setups, setup.id);
  // Credentials may have been tried while, on another page, another type was chosen.
  const current = connected?.type === setup.type ? { ...draft, connected } : draft;
  return { parts, setup, token, draft: current, requestId };
}
