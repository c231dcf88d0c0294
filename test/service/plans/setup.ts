import type { CreateOptions } from 'agent-connectors-service';
import { connectorPath, createRequester, execute, type Requester, startTestService } from '../http/setup.js';

type TokenScope = 'read' | 'write' | 'manage' | 'admin';

/** A client program that gets a new token for each request, so that tests can advance the clock. */
export interface Program {
  readonly id: string;
  readonly secret: string;
  readonly ask: Requester;
}

/** A tenant with a Linear connector; an agent plans its writes and a reviewer approves them. */
export async function startWithPlans(options: CreateOptions = {}) {
  const clock = { time: Date.parse('2026-03-02T12:00:00Z') };
  const running = await startTestService({ now: () => clock.time, ...options });
  const { service, sandbox } = running;
  const acme = await running.tenant();
  const credentials = sandbox.vendors.linear.credentials;
  const id = await acme.connect('linear', credentials.api_key);
  const program = async (scopes: readonly TokenScope[], organizations = [acme.organizationId]): Promise<Program> => {
    const { client, secret } = await service.state.clients.create(scopes.join(' '), organizations, scopes);
    const ask: Requester = async (method, path, sent = {}) => {
      const json = { client_id: client.id, client_secret: secret };
      const { body } = await running.ask('POST', '/api/v1/account/applications/token', { json });
      const headers = { authorization: `Bearer ${body.access_token}`, ...sent.headers };
      return createRequester(service)(method, path, { ...sent, headers });
    };
    return { id: client.id, secret, ask };
  };
  const agent = await program(['read', 'write']);
  const reviewer = await program(['read', 'write']);
  const admin = await program(['read', 'write', 'manage', 'admin']);
  const [team] = (await execute(admin, id, 'teams', 'list')).body.result;
  const create = { entity: 'issues', action: 'create', params: { teamId: team.id, title: 'CANARY-51e' } };
  const policy = (rule: object, more: object = {}) =>
    admin.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', ...rule, ...more } });
  const prepare = async ({ ask }: Program = agent, json: object = create) =>
    ask('POST', connectorPath(id, '/execute/prepare'), { json });
  const decide = ({ ask }: Pick<Program, 'ask'>, plan: string, decision: 'approve' | 'refuse', json?: object) =>
    ask('POST', `/api/v1/plans/${plan}/${decision}`, json && { json });
  const approve = (by: Pick<Program, 'ask'>, plan: string) => decide(by, plan, 'approve');
  const carryOut = ({ ask }: Pick<Program, 'ask'>, plan_id: string, more: object = {}) =>
    ask('POST', connectorPath(id, '/execute'), {
      json: { entity: create.entity, action: create.action, plan_id, ...more },
    });
  const statusOf = async (plan: string) => (await admin.ask('GET', `/api/v1/plans/${plan}`)).body.status;
  const entries = async () => (await admin.ask('GET', '/api/v1/audit?limit=1000')).body.data.reverse();
  const made = async () => {
    const { body } = await execute(admin, id, 'issues', 'list', { first: 100 });
    return body.result.filter(({ title }: { title: string }) => title === create.params.title).length;
  };
  return {
    ...running,
    clock,
    acme,
    id,
    credentials,
    program,
    agent,
    reviewer,
    admin,
    create,
    policy,
    prepare,
    decide,
    approve,
    carryOut,
    statusOf,
    entries,
    made,
  };
}

/** Status and code of a response. */
export const outcomeOf = ({ status, body }: Awaited<ReturnType<Requester>>) => [status, body.code];
