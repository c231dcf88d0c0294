import type { SetupRow } from '../../data/state/setup-types.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, readDraft, retainedDraft } from './draft.js';
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
  /** What the cookie of the setup holds in this browser. */
  readonly browser: string | undefined;
}

/** What a step comes to: a page, `stay` for the next step's page, or `gone` where the setup has ended. */
export type StepOutcome = Response | 'stay' | 'gone';

/** What is known of a setup that is pending. */
export async function loadVisit(visit: Omit<SetupVisit, 'draft'>): Promise<SetupVisit> {
  const { dependencies, setup, browser } = visit;
  const stored = await readDraft(dependencies.setups, setup.id);
  // Whoever sent the address to another person must not go on with what that person has entered.
  const isOwn = !setup.connect?.brand || stored.browser === browser;
  const { connection, ...draft } = isOwn ? stored : { ...retainedDraft(stored), connection: undefined };
  // Credentials may have been tried while, on another page, another type was chosen.
  const current = connection?.type === setup.type ? { ...draft, connection } : draft;
  return { ...visit, draft: { ...current, browser } };
}
