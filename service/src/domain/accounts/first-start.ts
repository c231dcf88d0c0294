import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Client, Organization, Workspace } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

/** The client created on first start; its secret is not stored anywhere else. */
export interface FirstClient {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly client: Client;
  readonly secret: string;
}

/**
 * Creates an organization, a `default` workspace and a client if there is no organization yet. Rolls back if `keep`
 * throws.
 */
export function firstStart(
  state: State,
  keep: (first: FirstClient) => Promise<void>,
): Promise<FirstClient | undefined> {
  // The named lock ensures that only one of several processes starting together creates them.
  return state.atomically('first start', async () => {
    // Checks organizations rather than clients: an operator who deleted the last client does not want a new one.
    if ((await state.organizations.all()).length > 0) return undefined;
    const organization = await state.organizations.create('default');
    const workspace = await state.workspaces.create(organization.id, 'default');
    const first = { organization, workspace, ...(await state.clients.create('default', [organization.id])) };
    await keep(first);
    return first;
  });
}

/** Writes a client's credentials to a new file that only its owner can read. */
export function writeClientFile(path: string, credentials: Readonly<Record<string, string>>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(credentials, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
