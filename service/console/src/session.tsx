import type { ConnectorOverview, ConsoleSession } from 'agent-connectors/wire';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConnectorFeed } from './data/follow.js';

/** Shared by all pages: the session, the organization and the live connector feed. */
export interface ConsoleState {
  readonly session: ConsoleSession;
  readonly organization: string | undefined;
  readonly feed: ConnectorFeed;
}

/** Provides the console state to the pages. */
export const ConsoleContext = createContext<ConsoleState | undefined>(undefined);

/** The console state; throws outside a session. */
export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (!state) throw new Error('You are signed out.');
  return state;
}

/** The service's base URL, for use by programs. */
export const baseUrlOf = ({ base_url }: ConsoleSession): string => base_url ?? location.origin;

/** Names of workspaces that have connectors. */
export const workspacesOf = (connectors: readonly ConnectorOverview[]): string[] => [
  ...new Set(connectors.map(({ workspace_name }) => workspace_name)),
];
