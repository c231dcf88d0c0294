import { ConnectorError } from 'agent-connectors';
import { type Choice, type Picker, setupSource, valuesIn } from 'agent-connectors/setup';
import type { SetupRow } from '../../data/state/setup-types.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { complete } from './complete.js';
import type { SetupDependencies } from './dependencies.js';
import { saveDraft, type VerifiedConnection } from './draft.js';
import type { Fault } from './pages/layout.js';
import { pickerPage } from './pages/picker-page.js';
import { faultsOf } from './picks.js';
import { failureMessage, trialOptions } from './trial.js';
import type { SetupVisit, StepOutcome } from './visit.js';

type Visit = Pick<SetupVisit, 'look' | 'dependencies' | 'setup' | 'draft'>;

const pickerOf = ({ setup }: Definition): Picker => setup!.picker!;

/** Uses the credentials of a connection; `latest` has its tokens as of the last call. */
function sourceOf(dependencies: SetupDependencies, definition: Definition, connection: VerifiedConnection) {
  const latest = { credentials: connection.credentials };
  const options = trialOptions(dependencies, { definition, ...connection }, latest);
  return { source: setupSource(definition.manifest, definition.setup!, options), latest };
}

/** What a connector that is being reconnected already replicates, as far as the new credentials can read it. */
export async function chosenBefore(
  dependencies: SetupDependencies,
  { organizationId, connectorId }: SetupRow,
  definition: Definition,
  connection: VerifiedConnection,
): Promise<readonly Choice[]> {
  const { field, name } = pickerOf(definition);
  const row =
    connectorId === null ? undefined : await dependencies.state.connectors.get({ organizationId }, connectorId);
  const ids = valuesIn(row?.replicationConfig?.[field]);
  return ids.length === 0 ? [] : name(sourceOf(dependencies, definition, connection).source, ids);
}

/** Shows what has been chosen, and the vendor's picker, which needs a valid access token. */
export async function showPicker(
  { look, dependencies, setup, draft }: Visit,
  definition: Definition,
  faults: readonly Fault[],
): Promise<Response> {
  const { setups, addressPolicy, oauthClients } = dependencies;
  const { manifest } = definition;
  const picker = pickerOf(definition);
  const connection = draft.connection!;
  const { source, latest } = sourceOf(dependencies, definition, connection);
  const problems = [...faults];
  try {
    await definition.setup!.identify(source);
  } catch (error) {
    problems.push({ message: failureMessage(error, Object.values(latest.credentials)) });
  }
  if (latest.credentials !== connection.credentials) {
    await saveDraft(setups, setup.id, { ...draft, connection: { ...connection, credentials: latest.credentials } });
  }
  const { clientId, appId = /^\d+/.exec(clientId)?.[0] ?? '', developerKey = '' } = oauthClients[manifest.name]!;
  const endpoints = addressPolicy.endpoints[manifest.name];
  const auth = typeof endpoints === 'string' ? endpoints : endpoints?.auth;
  return pickerPage({
    look,
    setup,
    title: manifest.title,
    connection,
    picker,
    chosen: connection.chosen!,
    keys: { access_token: latest.credentials.access_token ?? '', app_id: appId, developer_key: developerKey },
    elsewhere:
      auth === undefined ? undefined : { origin: new URL(auth).origin, script: auth + new URL(picker.script).pathname },
    faults: problems,
  });
}

/** Adds what the user has chosen in the picker, if it can be read. */
export async function addChosen(visit: Visit, definition: Definition, form: URLSearchParams): Promise<StepOutcome> {
  const { look, dependencies, setup, draft } = visit;
  const { setups } = dependencies;
  if (!(await setups.countAttempt(setup.id))) return 'gone';
  const connection = draft.connection!;
  const { field, name } = pickerOf(definition);
  const known = new Set(connection.chosen!.map(({ value }) => value));
  const ids = [...new Set(valuesIn(form.get('ids')))].filter((id) => !known.has(id));
  const config = { [field]: [...known, ...ids] };
  const refused = ids.length === 0 ? [] : faultsOf(look, definition, { config, settings: {} });
  if (refused.length > 0) return showPicker(visit, definition, refused);
  const { source, latest } = sourceOf(dependencies, definition, connection);
  let found: readonly Choice[];
  try {
    found = await name(source, ids);
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    return showPicker(visit, definition, [{ message: failureMessage(error, Object.values(latest.credentials)) }]);
  }
  const chosen = [...connection.chosen!, ...found];
  const changed = { ...draft, connection: { ...connection, credentials: latest.credentials, chosen } };
  if (!(await saveDraft(setups, setup.id, changed))) return 'gone';
  const missing = ids.length - found.length;
  if (missing === 0) return 'stay';
  return showPicker({ ...visit, draft: changed }, definition, [{ message: look.texts.notReadable(missing) }]);
}

/** Connects with the files that are still ticked. */
export async function submitChosen(
  visit: SetupVisit,
  definition: Definition,
  form: URLSearchParams,
): Promise<StepOutcome> {
  const { look, dependencies, setup, draft } = visit;
  const { field } = pickerOf(definition);
  const ticked = form.getAll(field);
  const ids = draft.connection!.chosen!.map(({ value }) => value).filter((id) => ticked.includes(id));
  if (ids.length === 0) return showPicker(visit, definition, [{ input: field, message: look.texts.chooseOneFile }]);
  const scope = { organizationId: setup.organizationId };
  const row =
    setup.connectorId === null ? undefined : await dependencies.state.connectors.get(scope, setup.connectorId);
  const config = { ...row?.replicationConfig, ...draft.preset?.replicationConfig, [field]: ids };
  return complete(visit, definition, config, { ...row?.settings, ...draft.preset?.settings });
}
