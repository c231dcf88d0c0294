import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { connectionError, fakeFetch, graphqlFailure, json, type SentRequest } from './fake-fetch.js';
import { skipBackoff } from './time.js';

let made = 0;
function linear(answer: Parameters<typeof fakeFetch>[0]) {
  skipBackoff();
  const { fetch, sent } = fakeFetch(answer);
  return { connector: new LinearConnector({ credentials: { api_key: `lin_api_w${++made}` }, fetch }), sent };
}

const absent = () => graphqlFailure('Entity not found: Issue', { code: 'INPUT_ERROR', type: 'invalid input' });
const isMutation = ({ json: body }: SentRequest) => body.query.startsWith('mutation');
const input = ({ json: body }: SentRequest) => body.variables.input;

const statuses = [
  { id: 's3', type: 'started', position: 3, archivedAt: null },
  { id: 's1', type: 'started', position: 1, archivedAt: '2026-01-01T00:00:00.000Z' },
  { id: 's2', type: 'started', position: 2, archivedAt: null },
  { id: 'b1', type: 'backlog', position: 0, archivedAt: null },
];
const pageOf = (nodes: object[], endCursor: string | null = null) =>
  json({ data: { projectStatuses: { nodes, pageInfo: { hasNextPage: endCursor !== null, endCursor } } } });

describe('creating', () => {
  it('sends the given input and a locally generated id', async () => {
    const { connector, sent } = linear((one) =>
      json({ data: { issueCreate: { success: true, issue: { ...input(one), priority: 2 } } } }),
    );
    const { data } = await connector.issues.create({ teamId: ' team ', title: ' T ', description: null, priority: 2 });
    expect(input(sent[0]!)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      teamId: 'team',
      title: 'T',
      description: null,
      priority: 2,
    });
    expect(data).toMatchObject({ success: true, issue: { title: 'T', priority: 2, assignee: null } });
    expect(data.issue).not.toHaveProperty('team');
  });

  it('survives a lost response: the retry is rejected, the record is found, and it exists only once', async () => {
    const issues = new Map<string, object>();
    const { connector, sent } = linear((one) => {
      if (!isMutation(one)) {
        const found = issues.get(one.json.variables.id);
        return found ? json({ data: { issue: found } }) : absent();
      }
      const { id, title } = input(one);
      if (issues.has(id)) return graphqlFailure('id already exists', { code: 'INPUT_ERROR', type: 'invalid input' });
      issues.set(id, { id, title, state: { id: 's', name: 'Todo', type: 'unstarted' } });
      throw connectionError('ECONNRESET');
    });
    const { data } = await connector.issues.create({ teamId: 't', title: 'Once' });
    expect(issues.size).toBe(1);
    expect(data).toMatchObject({
      success: true,
      issue: { id: [...issues.keys()][0], title: 'Once', description: null },
    });
    expect(sent).toHaveLength(3);
  });

  it('fails with the rejection if the first request was lost in transit and the retry is invalid', async () => {
    const { connector } = linear((one, count) => {
      if (!isMutation(one)) return absent();
      if (count === 1) throw connectionError('ECONNRESET');
      return graphqlFailure('Argument Validation Error', { code: 'INVALID_INPUT' });
    });
    expect((await failure(connector.issues.create({ teamId: 't', title: 'x' }))).code).toBe('invalid_params');
  });

  it('is not considered done if Linear reports a failure', async () => {
    const { connector } = linear(() => json({ data: { issueCreate: { success: false, issue: null } } }));
    expect((await failure(connector.issues.create({ teamId: 't', title: 'x' }))).code).toBe('vendor_error');
  });

  it('advises checking before a retry if no record is returned', async () => {
    const { connector } = linear(() => json({ data: { commentCreate: { success: true, comment: null } } }));
    const error = await failure(connector.comments.create({ issueId: 'ENG-1', body: 'x' }));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.hint).toContain('Before you retry');
  });
});

describe('updating', () => {
  it('sends null to clear a field and does not send omitted fields', async () => {
    const { connector, sent } = linear(() => json({ data: { issueUpdate: { success: true, issue: { id: 'i' } } } }));
    await connector.issues.update({ id: 'ENG-1', assigneeId: null, projectId: null, title: undefined } as any);
    expect(sent[0]!.json.variables).toEqual({ id: 'ENG-1', input: { assigneeId: null, projectId: null } });
  });

  it('is not retried if its response is lost', async () => {
    const { connector, sent } = linear(() => {
      throw connectionError('ECONNRESET');
    });
    const error = await failure(connector.comments.update({ id: 'c1', body: 'x' }));
    expect(error.code).toBe('unknown_outcome');
    expect(error.hint).not.toContain('undefined');
    expect(sent).toHaveLength(1);
  });

  it('is not retried if Linear fails with a 200', async () => {
    const { connector, sent } = linear(() => graphqlFailure('Internal', { type: 'internal error' }));
    expect((await failure(connector.comments.update({ id: 'c1', body: 'x' }))).code).toBe('unknown_outcome');
    expect(sent).toHaveLength(1);
  });
});

describe("a project's state", () => {
  const answer = (one: SentRequest) => {
    const { query, variables } = one.json;
    if (query.includes('projectStatuses'))
      return variables.after ? pageOf(statuses.slice(2)) : pageOf(statuses.slice(0, 2), 'c');
    if (!isMutation(one)) return json({ data: { project: { id: 'p', status: { id: 'b1', type: 'backlog' } } } });
    const project = { id: 'p', name: 'P', status: { id: 's2', type: 'started' } };
    return json({ data: { projectCreate: { success: true, project }, projectUpdate: { success: true, project } } });
  };

  it('becomes the first non-archived status of its type, across all pages', async () => {
    const { connector, sent } = linear(answer);
    const { data } = await connector.projects.create({ name: 'P', teamIds: ['t'], state: 'started' });
    expect(input(sent.find(isMutation)!)).toMatchObject({ name: 'P', teamIds: ['t'], statusId: 's2' });
    expect(input(sent.find(isMutation)!)).not.toHaveProperty('state');
    expect(data.project.state).toBe('started');
    expect(sent).toHaveLength(3);
  });

  it("keeps the project's status if it is already of that type", async () => {
    const { connector, sent } = linear(answer);
    await connector.projects.update({ id: 'p', state: 'backlog' });
    expect(sent.map(isMutation)).toEqual([false, true]);
    expect(input(sent[1]!)).toEqual({});
  });

  it('is not looked up if an update does not set it', async () => {
    const { connector, sent } = linear(answer);
    await connector.projects.update({ id: 'p', leadId: null });
    expect(sent.map(({ json: body }) => body.variables)).toEqual([{ id: 'p', input: { leadId: null } }]);
  });

  it('without a matching status is rejected before anything is written', async () => {
    const { connector, sent } = linear(answer);
    const error = await failure(connector.projects.create({ name: 'P', teamIds: ['t'], state: 'paused' }));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'state' }] });
    expect(error.message).toContain('started, backlog');
    expect(sent.some(isMutation)).toBe(false);
  });

  it('can be looked up by a connector that can only write projects', async () => {
    const { fetch, sent } = fakeFetch(answer);
    const connector = new LinearConnector({ credentials: { api_key: 'lin_api_x' }, fetch, allow: ['projects.create'] });
    await connector.projects.create({ name: 'P', teamIds: ['t'], state: 'started' });
    expect(sent.filter(isMutation)).toHaveLength(1);
  });
});
