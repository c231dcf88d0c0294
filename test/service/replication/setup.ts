import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import type { CreateOptions, Service } from 'agent-connectors-service';
import { expect } from 'vitest';
import {
  type ApiResponse,
  connectorPath,
  createRequester,
  execute,
  type Requester,
  startTestService,
  type Tenant,
} from '../http/setup.js';

/** A sandbox with so little data that it is read immediately. */
export const smallSandbox = (): Sandbox => createSandbox({ seed: 7, scale: 0.1 });

/** A service with replication enabled, and a tenant. */
export async function startReplicatingService(options: CreateOptions & { readonly sandbox?: Sandbox } = {}) {
  const running = await startTestService({ sandbox: smallSandbox(), replicate: true, ...options });
  const tenant = await running.tenant();
  const acme: Tenant = { ...tenant, ask: withTokenRenewal(running.service, tenant) };
  const linear = (more: object = {}) =>
    tenant.connect('linear', running.sandbox.vendors.linear.credentials.api_key, more);
  return { ...running, acme, linear };
}

/** Sends requests with a new token if the last one has expired, since tests advance the clock. */
function withTokenRenewal(service: Service, { clientId, clientSecret, ask: first }: Tenant): Requester {
  let ask = first;
  return async (...args) => {
    const answer = await ask(...args);
    if (answer.status !== 401) return answer;
    const { body } = await createRequester(service)('POST', '/api/v1/account/applications/token', {
      json: { client_id: clientId, client_secret: clientSecret },
    });
    ask = createRequester(service, { authorization: `Bearer ${body.access_token}` });
    return ask(...args);
  };
}

type HasRequester = Pick<Tenant, 'ask'>;

/** The newest jobs of a connector. */
export const jobsOf = async ({ ask }: HasRequester, id: string): Promise<any[]> =>
  (await ask('GET', connectorPath(id, '/jobs'))).body.data;

/** Waits until the connector's newest job has ended and returns it. */
export async function waitForNewestJob(tenant: HasRequester, id: string, count = 1): Promise<any> {
  const ended = async () => {
    const [newest, ...older] = await jobsOf(tenant, id);
    return older.length + 1 >= count ? newest?.status : 'missing';
  };
  await expect.poll(ended, { timeout: 30_000, interval: 20 }).toMatch(/done|failed|cancelled/);
  return (await jobsOf(tenant, id))[0];
}

/** Requests a sync and waits until it ends. */
export async function syncAndWait(tenant: HasRequester, id: string, body?: object): Promise<any> {
  const { status, body: answer } = await tenant.ask('POST', connectorPath(id, '/sync'), body && { json: body });
  expect(status).toBe(200);
  await expect
    .poll(async () => (await jobsOf(tenant, id)).find((job) => job.id === answer.job_id)?.status, {
      timeout: 30_000,
      interval: 20,
    })
    .toMatch(/done|failed|cancelled/);
  return (await jobsOf(tenant, id)).find((job) => job.id === answer.job_id);
}

/** Runs a structured search on an entity. */
export const searchEntity = (tenant: HasRequester, id: string, entity: string, params: object = { query: {} }) =>
  execute(tenant, id, entity, 'context_store_search', params);

/** The hits of a search, which must have succeeded. */
export function hitsOf({ status, text, body }: ApiResponse): any[] {
  if (status !== 200) throw new Error(text);
  return body.result.data;
}
