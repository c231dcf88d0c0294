import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Client, Organization, Workspace } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

/** What the first start made; the secret is nowhere else. */
export interface FirstClient {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly client: Client;
  readonly secret: string;
}

/** Makes an organisation, its workspace `default` and a client where there is no organisation, unless `keep` throws. */
export function firstStart(
  state: State,
  keep: (first: FirstClient) => Promise<void>,
): Promise<FirstClient | undefined> {
  // By its name, so that of several processes that start at once one makes it.
  return state.atomically('first start', async () => {
    // Not by the clients: whoever deleted the last one wants no other.
    if ((await state.organizations.all()).length > 0) return undefined;
    const organization = await state.organizations.create('default');
    const workspace = await state.workspaces.create(organization.id, 'default');
    const first = { organization, workspace, ...(await state.clients.create('default', [organization.id])) };
    await keep(first);
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
