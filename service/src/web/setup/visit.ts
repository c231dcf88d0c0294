import type { SetupRow } from '../../data/state/setup-types.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, readDraft } from './draft.js';
import type { Look } from './look.js';

/** One visit of a setup's address, while the setup is pending. */
export interface SetupVisit {
  readonly look: Look;
  readonly dependencies: SetupDependencies;
  readonly setup: SetupRow;
  /** The setup's own token, which is a part of its address. */
  readonly token: string;
  readonly draft: Draft;
  readonly requestId: string;
}

/** What a step comes to: a page, `stay` for the next step's page, or `gone` where the setup has ended. */
export type StepOutcome = Response | 'stay' | 'gone';

/** What is known of a setup that is pending. */
export async function loadVisit(
  dependencies: SetupDependencies,
  setup: SetupRow,
  token: string,
  requestId: string,
  look: Look,
): Promise<SetupVisit> {
  const { connection, ...draft } = await readDraft(dependencies.setups, setup.id);
  // Credentials may have been tried while, on another page, another type was chosen.
  const current = connection?.type === setup.type ? { ...draft, connection } : draft;
  return { look, dependencies, setup, token, draft: current, requestId };
}
