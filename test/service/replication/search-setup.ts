import type { Tenant } from '../http/setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

/** A service with Linear and Granola; for Linear, only issues and users are replicated. */
export async function replicated() {
  const running = await startReplicatingService();
  const { acme, linear, sandbox } = running;
  const tickets = await linear({ name: 'Tickets', replication_config: { entities: ['issues', 'users'] } });
  const notes = await acme.connect('granola', sandbox.vendors.granola.credentials.api_key, { name: 'Notes' });
  for (const id of [tickets, notes]) await waitForNewestJob(acme, id);
  return { ...running, tickets, notes };
}

/** A search across the connectors of a workspace. */
export const workspaceSearch = ({ ask }: Pick<Tenant, 'ask'>, body: object, workspace = 'main') =>
  ask('POST', `/api/v1/workspaces/${workspace}/search`, { json: body });

/** An issue, and words from its description as a prompt. */
export async function promptOf(acme: Tenant, id: string): Promise<{ readonly issue: any; readonly prompt: string }> {
  const issues = hitsOf(await searchEntity(acme, id, 'issues'));
  const issue = issues.find(({ description }) => description?.length > 80);
  return { issue, prompt: issue.description.slice(0, 80) };
}
