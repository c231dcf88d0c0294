import type { SetupRow } from '../../data/state/setup-types.js';
import type { SetupDependencies } from './dependencies.js';
import { type Draft, readDraft, retainedDraft } from './draft.js';
import type { Look } from './look.js';

/** A visit to a pending setup's URL. */
export interface SetupVisit {
  readonly look: Look;
  readonly dependencies: SetupDependencies;
  readonly setup: SetupRow;
  /** The setup's token, part of its URL. */
  readonly token: string;
  readonly draft: Draft;
  readonly requestId: string;
  /** The setup's cookie in this browser. */
  readonly browser: string | undefined;
}

/** Result of a step: a page, `stay` for the next step's page, or `gone` if the setup has ended. */
export type StepOutcome = Response | 'stay' | 'gone';

/** Loads a pending setup. */
export async function loadVisit(visit: Omit<SetupVisit, 'draft'>): Promise<SetupVisit> {
  const { dependencies, setup, browser } = visit;
  const stored = await readDraft(dependencies.setups, setup.id);
  // A user who forwarded the link must not continue with what the recipient has entered.
  // The picker's page contains the user's access token.
  const isBound = setup.connect?.brand !== undefined || stored.connection?.chosen !== undefined;
  const isOwn = !isBound || (stored.browser !== undefined && stored.browser === browser);
  const { connection, ...draft } = isOwn ? stored : { ...retainedDraft(stored), connection: undefined };
  // The type may have been changed on another page while credentials were being tested.
  const current = connection?.type === setup.type ? { ...draft, connection } : draft;
  return { ...visit, draft: { ...current, browser } };
}
