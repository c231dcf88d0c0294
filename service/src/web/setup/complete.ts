import { QuotaReached, StateConflict } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setup-types.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import type { CredentialFields } from '../../domain/connectors/instances.js';
import type { ReplicationConfig } from '../api/connector-input.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, saveDraft } from './draft.js';
import { finish } from './finish.js';
import { donePage } from './pages/outcome-pages.js';
import { picksPage } from './pages/picks-page.js';
import { faultsOf, pickOptions, readSelection, type Selection, storedConfig } from './picks.js';
import { resultMs } from './result.js';
import { needsPicks, tryPicks } from './trial.js';
import { loadVisit, type SetupVisit, type StepOutcome } from './visit.js';

/** Whether new credentials belong to the connector's account; undefined if unknown or if no credentials are being replaced. */
async function isSameAccount(
  { state }: SetupDependencies,
  { connect, connectorId, organizationId }: SetupRow,
  account: string | undefined,
): Promise<boolean | undefined> {
  if (!connect?.renews || connectorId === null) return undefined;
  const row = await state.connectors.get({ organizationId }, connectorId);
  return row === undefined || row.account === null ? undefined : row.account === account;
}

/** Whether a reconnected connector belongs to a different account than these credentials. */
export const isOtherAccount = async (
  dependencies: SetupDependencies,
  setup: SetupRow,
  account: string | undefined,
): Promise<boolean> => !setup.connect?.anyAccount && (await isSameAccount(dependencies, setup, account)) === false;

/**
 * Whether the product must confirm the new credentials, because a user may have been lured into someone else's session.
 * The product knows who returned.
 */
const needsConfirmation = async (
  dependencies: SetupDependencies,
  setup: SetupRow,
  account: string | undefined,
): Promise<boolean> =>
  setup.connect?.brand !== undefined &&
  setup.connect.renews &&
  (await isSameAccount(dependencies, setup, account)) !== true;

/** Finishes a session that has no more questions, using its presets; otherwise shows the next page. */
export async function finishSession(visit: SetupVisit, definition: Definition): Promise<StepOutcome> {
  const { dependencies, setup } = visit;
  if (!setup.connect || setup.connect.asks) return 'stay';
  const { draft } = await loadVisit(visit);
  const { connection, preset } = draft;
  // What has not been chosen cannot be read.
  if (!connection || connection.chosen) return 'stay';
  const scope = { organizationId: setup.organizationId };
  const existing =
    setup.connectorId === null ? undefined : await dependencies.state.connectors.get(scope, setup.connectorId);
  const config = { ...existing?.replicationConfig, ...preset?.replicationConfig };
  const settings = { ...existing?.settings, ...preset?.settings };
  // The user must pick what the connector requires.
  if (faultsOf(visit.look, definition, { config, settings }).some(({ input }) => input !== 'entities')) return 'stay';
  return complete({ ...visit, draft }, definition, config, settings);
}

/** Handles the selection form. */
export async function submitSelection(
  visit: SetupVisit,
  definition: Definition,
  form: URLSearchParams,
): Promise<StepOutcome> {
  const { look, setup, draft } = visit;
  const picks = pickOptions(definition);
  const selection = readSelection(picks, form);
  const faults = faultsOf(look, definition, selection);
  if (faults.length > 0) {
    return picksPage({ look, setup, definition, connection: draft.connection!, options: picks, selection, faults });
  }
  return complete(visit, definition, storedConfig(picks, selection), selection.settings, selection);
}

/** Creates the connector, or updates the credentials of an existing one. */
export async function complete(
  { look, dependencies, setup, draft, requestId, browser }: SetupVisit,
  definition: Definition,
  replicationConfig: ReplicationConfig,
  settings: Readonly<Record<string, boolean>>,
  selection: Selection = { config: replicationConfig, settings },
): Promise<StepOutcome> {
  const connection = draft.connection!;
  const picks = pickOptions(definition);
  let latest = connection;
  if (needsPicks(definition)) {
    if (!(await dependencies.setups.countAttempt(setup.id))) return 'gone';
    const { mode, credentials } = connection;
    const onRenewed = async (fields: CredentialFields) => {
      latest = { ...connection, credentials: fields };
      await saveDraft(dependencies.setups, setup.id, { ...draft, connection: latest });
    };
    const message = await tryPicks(dependencies, { definition, mode, credentials, onRenewed }, replicationConfig);
    if (message !== null) {
      const faults = [{ input: picks.fields[0]?.name, message }];
      return picksPage({ look, setup, definition, connection, options: picks, selection, faults });
    }
  }
  try {
    const type = definition.manifest.name;
    if (await needsConfirmation(dependencies, setup, latest.identity.id)) {
      const held: Draft = { connection: latest, preset: { replicationConfig, settings } };
      await dependencies.setups.hold(setup.id, JSON.stringify(held), browser ?? '', resultMs);
      return 'gone';
    }
    const result = { type, connection: latest, replicationConfig, settings };
    if (!(await finish(dependencies, setup, result, { from: 'pending', requestId, browser })) || setup.connect)
      return 'gone';
    return donePage(look, setup, definition.manifest.title, picks.entities.length > 0);
  } catch (error) {
    if (!(error instanceof StateConflict || error instanceof QuotaReached)) throw error;
    await dependencies.setups.fail(setup.id, error.message);
    return 'gone';
  }
}
