import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Client, Organization, State, Workspace } from '../state/types.js';

/** What the first start made; the secret is nowhere else. */
export interface FirstClient {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly client: Client;
  readonly secret: string;
}

/** Makes an organisation, its workspace `default` and a client where there is no organisation, unless `keep` throws. */
export function firstStart(state: State, keep: (first: FirstClient) => void): FirstClient | undefined {
  return state.atomically(() => {
    // Not by the clients: whoever deleted the last one wants no other.
    if (state.organizations.all().length > 0) return undefined;
    const organization = state.organizations.create('default');
    const workspace = state.workspaces.create(organization.id, 'default');
    const first = { organization, workspace, ...state.clients.create('default', [organization.id]) };
    keep(first);
    return first;
  });
}

/** Writes what a client needs into a new file that only its owner can read. */
export function writeClientFile(path: string, credentials: Readonly<Record<string, string>>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(credentials, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
