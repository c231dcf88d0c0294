import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Client, Organization, State, Workspace } from '../state/types.js';

/** What the first start made; the secret is nowhere else. */
export interface FirstClient {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly client: Client;
  readonly secret: string;
}

/** Makes an organisation, its workspace `default` and a client, unless there is a client already. */
export function firstStart({ organizations, workspaces, clients }: State): FirstClient | undefined {
  if (clients.list().length > 0) return undefined;
  // One that was broken off may have left an organisation.
  const organization = organizations.all()[0] ?? organizations.create('default');
  const workspace =
    workspaces.find({ organizationId: organization.id }, 'default') ?? workspaces.create(organization.id, 'default');
  return { organization, workspace, ...clients.create('default', [organization.id]) };
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
