import { QuotaReached, StateConflict } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setup-types.js';
import { recordChange } from '../../domain/audit/record-audit.js';
import { type CredentialFields, checkCredentials } from '../../domain/connectors/credentials.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { HttpError } from '../../domain/http-error.js';
import { type ConnectMethod, connectMethods, inputId } from './connect-methods.js';
import { redirectAddress, requestConsent } from './consent.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, type RenewedTokens, readDraft, retainedDraft, saveDraft } from './draft.js';
import { finish } from './finish.js';
import { credentialsPage } from './pages/credentials-page.js';
import { labelOf } from './pages/labels.js';
import type { Fault } from './pages/layout.js';
import { donePage } from './pages/outcome-pages.js';
import { picksPage } from './pages/picks-page.js';
import { typePage } from './pages/type-page.js';
import { defaultSelection, faultsOf, pickOptions, readSelection, storedConfig } from './picks.js';
import { needsPicks, tryCredentials, tryPicks } from './trial.js';

/** One visit of a setup's address, while the setup is pending. */
export interface SetupVisit {
  readonly dependencies: SetupDependencies;
  readonly setup: SetupRow;
  /** The setup's own token, which is a part of its address. */
  readonly token: string;
  readonly draft: Draft;
  readonly requestId: string;
}

/** What a step comes to: a page, `stay` for the next step's page, or `gone` where the setup has ended. */
export type StepOutcome = Response | 'stay' | 'gone';

/** Shows the step that comes next. */
export async function showStep({ dependencies, setup, draft }: SetupVisit): Promise<Response> {
  const faults: Fault[] = draft.notice === undefined ? [] : [{ message: draft.notice }];
  if (setup.type === null) return typePage(setup, await dependencies.definitions.all(), faults);
  const definition = await dependencies.definitions.of(setup.type);
  const { connection, preset } = draft;
  if (!connection) {
    const { mode, kind, clientId } = draft.lastAttempt ?? {};
    const method = connectMethods(definition, dependencies.oauthClients).find(
      (one) => one.mode === mode && one.kind === kind,
    );
    const values: Record<string, string> = clientId === undefined ? {} : { client_id: clientId };
    return showCredentialsPage({ dependencies, setup, draft }, definition, faults, method && { method, values });
  }
  const picks = await pickOptions(definition);
  const scope = { organizationId: setup.organizationId, workspaceId: setup.workspaceId };
  const pendingConnector =
    setup.connectorId === null ? undefined : await dependencies.state.connectors.get(scope, setup.connectorId);
  const defaults = defaultSelection(picks, connection, {
    ...pendingConnector?.replicationConfig,
    ...preset?.replicationConfig,
  });
  const selection = { ...defaults, settings: { ...pendingConnector?.settings, ...preset?.settings } };
  return picksPage({ setup, definition, connection, options: picks, selection });
}

/** Takes the form of a step. */
export async function handleForm(visit: SetupVisit, form: URLSearchParams): Promise<StepOutcome> {
  const { dependencies, setup, draft } = visit;
  const { setups } = dependencies;
  const step = form.get('step');
  if (setup.type === null || step === 'type') return chooseType(visit, form.get('type') ?? '');
  const definition = await dependencies.definitions.of(setup.type);
  switch (step) {
    case 'other':
      if (draft.isTypeChosenByUser) await setups.setType(setup.id, null);
      return 'stay';
    case 'again':
      return (await saveDraft(setups, setup.id, retainedDraft(draft))) ? 'stay' : 'gone';
    case 'credentials':
    case 'authorize':
      return submitCredentials(visit, definition, form);
    case 'picks':
      return draft.connection ? submitSelection(visit, definition, form) : 'stay';
    default:
      return 'stay';
  }
}

async function chooseType({ dependencies, setup, draft }: SetupVisit, type: string): Promise<StepOutcome> {
  // Chosen by the program, or by the person already, whose page of it is an old one.
  if (setup.type !== null) return 'stay';
  if (!dependencies.definitions.names.includes(type)) {
    const faults = [{ message: 'Choose one of these.' }];
    return typePage(setup, await dependencies.definitions.all(), faults);
  }
  const { setups } = dependencies;
  if (!(await setups.setType(setup.id, type))) return 'gone';
  return (await saveDraft(setups, setup.id, { ...retainedDraft(draft), isTypeChosenByUser: true })) ? 'stay' : 'gone';
}

async function submitCredentials(
  visit: SetupVisit,
  definition: Definition,
  form: URLSearchParams,
): Promise<StepOutcome> {
  const { dependencies, setup, draft, token } = visit;
  const { setups, oauthClients, policy } = dependencies;
  const methods = connectMethods(definition, oauthClients);
  const method = methods.find(({ mode, kind }) => mode === form.get('mode') && kind === form.get('kind'));
  if (!method) return 'stay';
  if (!(await setups.countAttempt(setup.id))) return 'gone';
  const entered = Object.fromEntries(
    method.fields.flatMap(({ name }) => {
      const value = form.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
  const { values, credentials, isKept: usesRenewedTokens } = withRenewedTokens(draft, definition, method, entered);
  const showAgain = (faults: readonly Fault[]) =>
    showCredentialsPage(visit, definition, faults, { method, values: entered });
  const missing = method.fields.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0) {
    return showAgain(
      missing.map(({ name }) => ({ input: inputId(method, name), message: `${labelOf(name)} is needed.` })),
    );
  }
  if (method.kind !== 'fields') {
    const own = method.kind === 'operator' ? oauthClients[definition.manifest.name]! : undefined;
    const clientId = own?.clientId ?? values.client_id!;
    const clientSecret = own?.clientSecret ?? values.client_secret!;
    const application = { mode: method.mode, kind: method.kind, clientId, clientSecret };
    return (await requestConsent(dependencies, setup, definition, application, draft, token)) ?? 'gone';
  }
  try {
    checkCredentials(definition, values, {}, policy);
  } catch (error) {
    return showAgain(faultsAt(error, method));
  }
  const retained = usesRenewedTokens ? draft : { ...draft, renewedTokens: undefined };
  const outcome = await connect(
    { dependencies, setup, draft: retained },
    definition,
    method.mode,
    credentials,
    entered,
  );
  if (typeof outcome === 'string') return outcome;
  const { error, renewedTokens } = outcome;
  if (renewedTokens) {
    const { title } = definition.manifest;
    const message = `${error} ${title} has replaced the refresh token meanwhile, and the new one is kept: leave the secrets empty to try again.`;
    return showCredentialsPage({ dependencies, setup, draft: { ...draft, renewedTokens } }, definition, [{ message }], {
      ...{ method, values: entered },
    });
  }
  const first = method.fields.find(({ secret }) => secret) ?? method.fields[0];
  return showAgain([{ input: first && inputId(method, first.name), message: error }]);
}

const tokens = ['refresh_token', 'access_token'];

/** What was typed, with what a vendor has put in the place of it meanwhile. */
function withRenewedTokens(
  { renewedTokens }: Draft,
  { manifest }: Definition,
  { mode, kind }: ConnectMethod,
  entered: CredentialFields,
) {
  const usesRenewedTokens =
    kind === 'fields' &&
    renewedTokens?.type === manifest.name &&
    renewedTokens.mode === mode &&
    tokens.every((name) => entered[name] === undefined || entered[name] === renewedTokens.entered[name]);
  if (!usesRenewedTokens) return { values: entered, credentials: entered, isKept: usesRenewedTokens };
  const own = Object.entries(entered).filter(([name]) => !tokens.includes(name));
  const credentials: CredentialFields = { ...renewedTokens.credentials, ...Object.fromEntries(own) };
  const { expires_at, ...values } = credentials;
  return { values, credentials, isKept: usesRenewedTokens };
}

/** Tries credentials and keeps those that the vendor takes. */
export async function connect(
  { dependencies, setup, draft }: Pick<SetupVisit, 'dependencies' | 'setup' | 'draft'>,
  definition: Definition,
  mode: string,
  credentials: CredentialFields,
  entered: CredentialFields,
): Promise<'stay' | 'gone' | { readonly error: string; readonly renewedTokens?: RenewedTokens | undefined }> {
  let { renewedTokens } = draft;
  const trial = await tryCredentials(dependencies, {
    ...{ definition, mode, credentials },
    async onRenewed(fields) {
      renewedTokens = { type: definition.manifest.name, mode, entered, credentials: fields };
      await saveDraft(dependencies.setups, setup.id, { ...retainedDraft(draft), renewedTokens });
    },
  });
  const { organizationId, workspaceId } = setup;
  const outcome = 'error' in trial ? 'invalid_credentials' : 'success';
  await recordChange(dependencies.state.audit, { event: 'setup.tried', organizationId, workspaceId, outcome });
  if ('error' in trial) return { error: trial.error, renewedTokens };
  return (await saveDraft(dependencies.setups, setup.id, { ...retainedDraft(draft), connection: trial.connection }))
    ? 'stay'
    : 'gone';
}

async function submitSelection(
  { dependencies, setup, draft, requestId }: SetupVisit,
  definition: Definition,
  form: URLSearchParams,
): Promise<StepOutcome> {
  const connection = draft.connection!;
  const picks = await pickOptions(definition);
  const selection = readSelection(picks, form);
  const showAgain = (faults: readonly Fault[]) =>
    picksPage({ setup, definition, connection, options: picks, selection, faults });
  const faults = faultsOf(definition, selection);
  if (faults.length > 0) return showAgain(faults);
  const replicationConfig = storedConfig(picks, selection);
  let latest = connection;
  if (needsPicks(definition)) {
    if (!(await dependencies.setups.countAttempt(setup.id))) return 'gone';
    const { mode, credentials } = connection;
    const onRenewed = async (fields: CredentialFields) => {
      latest = { ...connection, credentials: fields };
      await saveDraft(dependencies.setups, setup.id, { ...draft, connection: latest });
    };
    const message = await tryPicks(dependencies, { definition, mode, credentials, onRenewed }, replicationConfig);
    if (message !== null) return showAgain([{ input: picks.fields[0]?.name, message }]);
  }
  try {
    const { settings } = selection;
    const type = definition.manifest.name;
    const isDone = await finish(
      dependencies,
      setup,
      { type, connection: latest, replicationConfig, settings },
      requestId,
    );
    return isDone ? donePage(setup, definition.manifest.title, picks.entities.length > 0) : 'gone';
  } catch (error) {
    if (!(error instanceof StateConflict || error instanceof QuotaReached)) throw error;
    await dependencies.setups.fail(setup.id, error.message);
    return 'gone';
  }
}

/** The page of credentials, with what is wrong and what of it may be shown again. */
function showCredentialsPage(
  { dependencies, setup, draft }: Pick<SetupVisit, 'dependencies' | 'setup' | 'draft'>,
  definition: Definition,
  faults: readonly Fault[],
  attempt?: { readonly method: ConnectMethod; readonly values: Readonly<Record<string, string>> },
): Promise<Response> {
  return credentialsPage({
    ...{ setup, definition, faults, attempt, redirect: redirectAddress(dependencies) },
    methods: connectMethods(definition, dependencies.oauthClients),
    isTypeChosenByUser: draft.isTypeChosenByUser ?? false,
    renewedMode: draft.renewedTokens?.type === setup.type ? draft.renewedTokens?.mode : undefined,
  });
}

/** What is wrong with the form of credentials, at their inputs. */
function faultsAt(error: unknown, method: ConnectMethod): Fault[] {
  if (!(error instanceof HttpError)) throw error;
  return (error.errors ?? []).map(({ field, message }) => {
    const name = field.replace(/^credentials\.?/, '');
    const isOwn = method.fields.some((one) => one.name === name);
    return isOwn ? { input: inputId(method, name), message: `This ${message}.` } : { message };
  });
}

/** What is known of a setup that is pending. */
export async function loadVisit(
  dependencies: SetupDependencies,
  setup: SetupRow,
  token: string,
  requestId: string,
): Promise<SetupVisit> {
  const { connection, ...draft } = await readDraft(dependencies.setups, setup.id);
  // Credentials may have been tried while, on another page, another type was chosen.
  const current = connection?.type === setup.type ? { ...draft, connection } : draft;
  return { dependencies, setup, token, draft: current, requestId };
}
