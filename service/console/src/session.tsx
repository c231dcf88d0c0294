import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConnectorOverview, SessionResponse } from '../../src/web/console/types.js';
import type { ConnectorFeed } from './data/follow.js';

/** What all pages know: who is signed in, for which organisation, and how the connectors do. */
export interface ConsoleState {
  readonly session: SessionResponse;
  readonly organization: string | undefined;
  readonly feed: ConnectorFeed;
}

/** Carries it to the pages. */
export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);

/** What all pages know. */
export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (!state) throw new Error('Nobody is signed in.');
  return state;
}

/** The address of the service, as programs reach it. */
export const baseUrlOf = ({ base_url }: SessionResponse): string => base_url ?? location.origin;

/** Names of workspaces that have connectors. */
export const workspacesOf = (connectors: readonly ConnectorOverview[]): string[] => [
  ...new Set(connectors.map(({ workspace_name }) => workspace_name)),
];
