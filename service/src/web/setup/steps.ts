import type { SetupRow } from '../../data/state/setup-types.js';
import { recordChange } from '../../domain/audit/record-audit.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { type CredentialFields, checkCredentials } from '../../domain/connectors/instances.js';
import { HttpError } from '../../domain/http-error.js';
import { finishSession, isOtherAccount, submitSelection } from './complete.js';
import { type ConnectMethod, connectMethods, inputId, isOperators, sessionMethods } from './connect-methods.js';
import { redirectAddress, requestConsent } from './consent.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, type RenewedTokens, retainedDraft, saveDraft } from './draft.js';
import type { Look } from './look.js';
import { credentialsPage } from './pages/credentials-page.js';
import { labelOf } from './pages/labels.js';
import type { Fault } from './pages/layout.js';
import { picksPage } from './pages/picks-page.js';
import { typePage } from './pages/type-page.js';
import { addChosen, chosenBefore, showPicker, submitChosen } from './picker.js';
import { defaultSelection, pickOptions } from './picks.js';
import { tryCredentials } from './trial.js';
import type { SetupVisit, StepOutcome } from './visit.js';

/** Shows the next step. */
export async function showStep({ look, dependencies, setup, draft }: SetupVisit): Promise<Response> {
  const faults: Fault[] = draft.notice === undefined ? [] : [{ message: draft.notice }];
  if (setup.type === null) return typePage(look, setup, dependencies.definitions.all, faults);
  const definition = dependencies.definitions.of(setup.type);
  const { connection, preset } = draft;
  if (!connection) {
    const { mode, kind, clientId } = draft.lastAttempt ?? {};
    const method = methodsOf(dependencies, setup, definition).find((one) => one.mode === mode && one.kind === kind);
    const values: Record<string, string> = clientId === undefined ? {} : { client_id: clientId };
    return showCredentialsPage({ look, dependencies, setup, draft }, definition, faults, method && { method, values });
  }
  if (connection.chosen) return showPicker({ look, dependencies, setup, draft }, definition, faults);
  const picks = pickOptions(definition);
  const scope = { organizationId: setup.organizationId, workspaceId: setup.workspaceId };
  const pendingConnector =
    setup.connectorId === null ? undefined : await dependencies.state.connectors.get(scope, setup.connectorId);
  const defaults = defaultSelection(picks, connection, {
    ...pendingConnector?.replicationConfig,
    ...preset?.replicationConfig,
  });
  const selection = { ...defaults, settings: { ...pendingConnector?.settings, ...preset?.settings } };
  return picksPage({ look, setup, definition, connection, options: picks, selection });
}

/** Handles a step's form. */
export async function handleForm(visit: SetupVisit, form: URLSearchParams): Promise<StepOutcome> {
  const { dependencies, setup, draft } = visit;
  const { setups } = dependencies;
  const step = form.get('step');
  if (setup.type === null || step === 'type') return chooseType(visit, form.get('type') ?? '');
  const definition = dependencies.definitions.of(setup.type);
  switch (step) {
    case 'other':
      if (draft.isTypeChosenByUser) await setups.setType(setup.id, null);
      return 'stay';
    case 'again':
      return (await saveDraft(setups, setup.id, retainedDraft(draft))) ? 'stay' : 'gone';
    case 'credentials':
    case 'authorize':
      return submitCredentials(visit, definition, form);
    case 'cancel':
      return setup.connect && (await setups.cancel(setup.id)) ? 'gone' : 'stay';
    case 'choose':
      return draft.connection?.chosen ? addChosen(visit, definition, form) : 'stay';
    case 'picks':
      if (draft.connection?.chosen) return submitChosen(visit, definition, form);
      return draft.connection ? submitSelection(visit, definition, form) : 'stay';
    default:
      return 'stay';
  }
}

async function chooseType({ look, dependencies, setup, draft }: SetupVisit, type: string): Promise<StepOutcome> {
  // The type is already chosen, so this form is outdated.
  if (setup.type !== null) return 'stay';
  if (!dependencies.definitions.names.includes(type)) {
    const faults = [{ message: look.texts.chooseOne }];
    return typePage(look, setup, dependencies.definitions.all, faults);
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
  const { dependencies, setup, draft } = visit;
  const methods = methodsOf(dependencies, setup, definition);
  const method = methods.find(({ mode, kind }) => mode === form.get('mode') && kind === form.get('kind'));
  if (!method) return 'stay';
  const entered = enteredValues(method, form);
  const outcome = await tryEntered(visit, definition, method, entered);
  if (typeof outcome === 'string' || outcome instanceof Response) return outcome;
  const { faults, renewedTokens } = outcome;
  const shown = renewedTokens ? { ...visit, draft: { ...draft, renewedTokens } } : visit;
  return showCredentialsPage(shown, definition, faults, { method, values: entered });
}

/** The values of a method's fields in a form, without empty ones. */
export const enteredValues = ({ fields }: ConnectMethod, form: URLSearchParams): CredentialFields =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = form.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );

/** What to correct in a credentials form. */
interface Correction {
  readonly faults: readonly Fault[];
  readonly renewedTokens?: RenewedTokens | undefined;
}

/** Tests entered credentials, or requests consent with an entered application: the next step, or what to correct. */
export async function tryEntered(
  visit: SetupVisit,
  definition: Definition,
  method: ConnectMethod,
  entered: CredentialFields,
): Promise<StepOutcome | Correction> {
  const { look, dependencies, setup, draft } = visit;
  const { texts } = look;
  const { setups, oauthClients, addressPolicy } = dependencies;
  if (!(await setups.countAttempt(setup.id))) return 'gone';
  const { values, credentials, isKept: usesRenewedTokens } = withRenewedTokens(draft, definition, method, entered);
  const missing = method.fields.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0) {
    return { faults: missing.map(({ name }) => faultAt(method, name, texts.isNeeded(labelOf(name)))) };
  }
  if (method.kind !== 'fields') {
    const own = isOperators(method) ? oauthClients[definition.manifest.name]! : undefined;
    const clientId = own?.clientId ?? values.client_id!;
    const clientSecret = own?.clientSecret ?? values.client_secret!;
    const application = { mode: method.mode, kind: method.kind, clientId, clientSecret };
    return (await requestConsent(dependencies, setup, definition, application, visit)) ?? 'gone';
  }
  try {
    checkCredentials(definition, values, {}, addressPolicy);
  } catch (error) {
    return { faults: faultsAt(look, error, method) };
  }
  const retained = usesRenewedTokens ? draft : { ...draft, renewedTokens: undefined };
  const outcome = await connect(
    { look, dependencies, setup, draft: retained },
    definition,
    method.mode,
    credentials,
    entered,
  );
  if (outcome === 'stay') return finishSession(visit, definition);
  if (outcome === 'gone') return outcome;
  const { error, renewedTokens } = outcome;
  if (renewedTokens)
    return { faults: [{ message: texts.tokenReplaced(error, definition.manifest.title) }], renewedTokens };
  const first = method.fields.find(({ secret }) => secret) ?? method.fields[0];
  return { faults: [first ? faultAt(method, first.name, error) : { message: error }] };
}

const tokens = ['refresh_token', 'access_token'];

/** Entered values with the tokens that have replaced them. */
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

/** Tests credentials and saves those that the vendor accepts. */
export async function connect(
  { look, dependencies, setup, draft }: Pick<SetupVisit, 'look' | 'dependencies' | 'setup' | 'draft'>,
  definition: Definition,
  mode: string,
  credentials: CredentialFields,
  entered: CredentialFields,
  usesPicker = false,
): Promise<'stay' | 'gone' | { readonly error: string; readonly renewedTokens?: RenewedTokens | undefined }> {
  let { renewedTokens } = draft;
  const trial = await tryCredentials(dependencies, {
    definition,
    mode,
    credentials,
    async onRenewed(fields) {
      renewedTokens = { type: definition.manifest.name, mode, entered, credentials: fields };
      await saveDraft(dependencies.setups, setup.id, { ...retainedDraft(draft), renewedTokens });
    },
  });
  const { organizationId, workspaceId, clientId } = setup;
  // Not rejected: the client's user cannot know why.
  dependencies.storage.count({ clientId, organizationId }, 1);
  const outcome = 'error' in trial ? 'invalid_credentials' : 'success';
  await recordChange(dependencies.state.audit, { event: 'setup.tried', organizationId, workspaceId, outcome });
  if ('error' in trial) {
    const { rejected, rejectedSecrets, theseCredentials } = look.texts;
    const secret = rejectedSecrets[mode] ?? theseCredentials;
    return { error: trial.isRejected ? rejected(definition.manifest.title, secret) : trial.error, renewedTokens };
  }
  if (await isOtherAccount(dependencies, setup, trial.connection.identity.id)) {
    return { error: look.texts.otherAccount(definition.manifest.title, trial.connection.identity.name) };
  }
  const connection = usesPicker
    ? { ...trial.connection, chosen: await chosenBefore(dependencies, setup, definition, trial.connection) }
    : trial.connection;
  return (await saveDraft(dependencies.setups, setup.id, { ...retainedDraft(draft), connection })) ? 'stay' : 'gone';
}

/** The credentials page, with errors and the entered values that may be shown again. */
async function showCredentialsPage(
  { look, dependencies, setup, draft }: Pick<SetupVisit, 'look' | 'dependencies' | 'setup' | 'draft'>,
  definition: Definition,
  faults: readonly Fault[],
  attempt?: { readonly method: ConnectMethod; readonly values: Readonly<Record<string, string>> },
): Promise<Response> {
  const policies = await dependencies.state.policies.list(setup);
  return credentialsPage({
    look,
    setup,
    definition,
    faults,
    attempt,
    redirect: redirectAddress(dependencies),
    methods: methodsOf(dependencies, setup, definition),
    rules: policies.filter(({ connectorId }) => connectorId === null || connectorId === setup.connectorId),
    isTypeChosenByUser: draft.isTypeChosenByUser ?? false,
    renewedMode: draft.renewedTokens?.type === setup.type ? draft.renewedTokens?.mode : undefined,
  });
}

/** Within a sentence, labels start with a lowercase letter unless they start with an abbreviation. */
const inSentence = (label: string) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

const faultAt = (method: ConnectMethod, field: string, message: string): Fault => ({
  input: inputId(method, field),
  label: inSentence(labelOf(field)),
  message,
});

/** Errors in the credentials form, each with its input. */
function faultsAt({ texts }: Look, error: unknown, method: ConnectMethod): Fault[] {
  if (!(error instanceof HttpError)) throw error;
  return (error.errors ?? []).map(({ field, message }) => {
    const name = field.replace(/^credentials\.?/, '');
    const isOwn = method.fields.some((one) => one.name === name);
    return isOwn ? faultAt(method, name, texts.invalidField(message)) : { message };
  });
}

/** The connect methods that a setup offers. */
export function methodsOf(
  { oauthClients }: SetupDependencies,
  { connect }: SetupRow,
  definition: Definition,
): ConnectMethod[] {
  return connect?.brand ? sessionMethods(definition, oauthClients, connect) : connectMethods(definition, oauthClients);
}
