import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConnectorOverview, SessionAnswer } from '../../src/web/console/types.js';
import type { Followed } from './data/follow.js';

/** What all pages know: who is signed in, for which organisation, and how the connectors do. */
export interface Console {
  readonly session: SessionAnswer;
  readonly organization: string | undefined;
  readonly followed: Followed;
}

/** Carries it to the pages. */
export const ConsoleContext = createContext<Console | undefined>(undefined);

/** What all pages know. */
export function useConsole(): Console {
  const known = useContext(ConsoleContext);
  if (!known) throw new Error('Nobody is signed in.');
  return known;
}

/** The address of the service, as programs reach it. */
export const baseUrlOf = ({ base_url }: SessionAnswer): string => base_url ?? location.origin;

/** Names of workspaces that have connectors. */
export const workspacesOf = (connectors: readonly ConnectorOverview[]): string[] => [
  ...new Set(connectors.map(({ workspace_name }) => workspace_name)),
];
