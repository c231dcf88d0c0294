import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expectTypeOf, it } from 'vitest';

declare const linear: LinearConnector;

/** Wraps calls that are only compiled, never run. */
const never = (..._calls: Array<() => unknown>) => {};

describe('what must not compile', () => {
  it('wrong names', () => {
    never(
      // @ts-expect-error no such entity
      () => linear.execute('issue', 'list'),
      // @ts-expect-error no such action
      () => linear.execute('issues', 'delete', { id: 'x' }),
      // @ts-expect-error workflow states cannot be got one by one
      () => linear.execute('workflow_states', 'get', { id: 'x' }),
      // @ts-expect-error no such method
      () => linear.workflow_states.get({ id: 'x' }),
      // @ts-expect-error no such property
      () => linear.workflowStates.list(),
    );
  });

  it('wrong parameters', () => {
    never(
      // @ts-expect-error id is required
      () => linear.execute('issues', 'get'),
      // @ts-expect-error id is required
      () => linear.execute('issues', 'get', {}),
      // @ts-expect-error id is text
      () => linear.execute('issues', 'get', { id: 7 }),
      // @ts-expect-error title is required
      () => linear.execute('issues', 'create', { teamId: 't' }),
      // @ts-expect-error no such parameter
      () => linear.execute('issues', 'create', { teamId: 't', title: 'x', assignee: 'u' }),
      // @ts-expect-error no such parameter
      () => linear.execute('issues', 'list', { limit: 5 }),
      // @ts-expect-error null does not clear a title
      () => linear.execute('issues', 'update', { id: 'x', title: null }),
      // @ts-expect-error not a state
      () => linear.execute('projects', 'update', { id: 'p', state: 'done' }),
      // @ts-expect-error teamIds is a list
      () => linear.execute('projects', 'create', { name: 'P', teamIds: 't' }),
      // @ts-expect-error issueId is required
      () => linear.comments.list(),
      // @ts-expect-error issueId is required, unless author, from or to is set
      () => linear.comments.list({ first: 5 }),
    );
    never(() => linear.execute('issues', 'update', { id: 'x', assigneeId: null, projectId: null }));
  });

  it('wrong call options', () => {
    never(
      // @ts-expect-error no such option
      () => linear.execute('issues', 'list', {}, { timeout: 5 }),
      // @ts-expect-error a list of paths
      () => linear.execute('issues', 'list', {}, { selectFields: 'id' }),
    );
  });

  it('wrong searches', () => {
    never(
      // @ts-expect-error query or semantic is required
      () => linear.execute('issues', 'context_store_search', {}),
      // @ts-expect-error teams are not searched by meaning
      () => linear.execute('teams', 'context_store_search', { semantic: { field: 'name', prompt: 'x' } }),
      // @ts-expect-error not the semantic field
      () => linear.execute('issues', 'context_store_search', { semantic: { field: 'title', prompt: 'x' } }),
      // @ts-expect-error no prompt
      () => linear.execute('issues', 'context_store_search', { semantic: { field: 'description' } }),
      // @ts-expect-error no such field
      () => linear.execute('issues', 'context_store_search', { query: { filter: { eq: { titel: 'x' } } } }),
      // @ts-expect-error no such operator
      () => linear.execute('issues', 'context_store_search', { query: { filter: { equals: { title: 'x' } } } }),
      // @ts-expect-error no such field
      () => linear.execute('issues', 'context_store_search', { query: { sort: [{ titel: 'asc' }] } }),
      // @ts-expect-error no such direction
      () => linear.execute('issues', 'context_store_search', { query: { sort: [{ title: 'up' }] } }),
      // @ts-expect-error no such field
      () => linear.execute('issues', 'context_store_search', { query: {}, fields: ['titel'] }),
      // @ts-expect-error one or the other
      () => linear.execute('issues', 'context_store_search', { query: {}, semantic: { prompt: 'x' } }),
      // @ts-expect-error no cursor by meaning
      () => linear.execute('issues', 'context_store_search', { semantic: { prompt: 'x' }, cursor: 'c' }),
    );
    never(
      () => linear.execute('issues', 'context_store_search', { query: { filter: { eq: { 'state.name': 'Done' } } } }),
      () =>
        linear.execute('issues', 'context_store_search', {
          query: { filter: { and: [{ not: { in: { title: ['x'] } } }] } },
        }),
      () => linear.execute('comments', 'context_store_search', { semantic: { field: 'body', prompt: 'x' } }),
    );
  });

  it('wrong ways to use a result', () => {
    never(
      // @ts-expect-error a saved issue comes without its team
      async () => (await linear.issues.create({ teamId: 't', title: 'x' })).data.issue.team,
      // @ts-expect-error may be null
      async () => (await linear.issues.get({ id: 'x' })).data.title.length,
      // @ts-expect-error no such field
      async () => (await linear.issues.get({ id: 'x' })).data.link,
      // @ts-expect-error one record has no paging
      async () => (await linear.issues.get({ id: 'x' })).meta.endCursor,
    );
  });

  it('pagination of anything but a list', () => {
    never(
      // @ts-expect-error not a list
      () => linear.paginate('issues', 'get', { id: 'x' }),
      // @ts-expect-error issueId is required
      () => linear.paginate('comments', 'list'),
    );
  });

  it('wrong credentials and options', () => {
    never(
      // @ts-expect-error misspelt
      () => new LinearConnector({ credentials: { apiKey: 'x' } }),
      // @ts-expect-error half a mode
      () => new LinearConnector({ credentials: { client_id: 'x', client_secret: 'y' } }),
      // @ts-expect-error not text
      () => new LinearConnector({ credentials: { api_key: 7 } }),
      // @ts-expect-error misspelt
      () => new LinearConnector({ readonly: true }),
      // @ts-expect-error misspelt entity
      () => new LinearConnector({ allow: ['issue.list'] }),
      // @ts-expect-error misspelt action
      () => new LinearConnector({ allow: ['issues.lst'] }),
      // @ts-expect-error that entity has no such action
      () => new LinearConnector({ allow: ['workflow_states.get'] }),
      // @ts-expect-error no such hook
      () => new LinearConnector({ hooks: { onrequest: () => {} } }),
      // @ts-expect-error no such code
      () => new ConnectorError('not_a_code', 'x'),
    );
    never(
      () => new LinearConnector({ allow: ['issues.list', '*.get', 'teams.*', '*.*'] }),
      () =>
        new LinearConnector({
          credentials: { client_id: 'a', client_secret: 'b', refresh_token: 'c', access_token: 'd' },
        }),
    );
  });

  it('fields of two credential modes together', () => {
    type Given = NonNullable<ConstructorParameters<typeof LinearConnector>[0]>['credentials'];
    expectTypeOf<{ api_key: string }>().toExtend<Given>();
    expectTypeOf<{ token: string }>().not.toExtend<Given>();
  });
});
