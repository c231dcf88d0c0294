import {
  type AnyConnector,
  type ConnectorDescription,
  type ConnectorError,
  connectors,
  type Group,
  type Hit,
  type Result,
  type SearchMeta,
} from 'agent-connectors';
import {
  type Comment,
  type Issue,
  LinearConnector,
  type Project,
  type SavedIssue,
  type Team,
  type User,
  type WorkflowState,
} from 'agent-connectors/linear';
import { describe, expectTypeOf, it } from 'vitest';

declare const linear: LinearConnector;

type Page = {
  hasNextPage: boolean;
  endCursor: string | null;
  count?: number | undefined;
  countIsExact?: boolean | undefined;
  notes?: string[] | undefined;
};
type DataOf<R> = R extends Promise<{ data: infer D }> ? D : never;
type MetaOf<R> = R extends Promise<{ meta: infer M }> ? M : never;

describe('what an action resolves to', () => {
  it('is records and paging for lists', () => {
    const issues = () => linear.execute('issues', 'list', { first: 10, after: 'c' });
    expectTypeOf<DataOf<ReturnType<typeof issues>>>().toEqualTypeOf<Issue[]>();
    expectTypeOf<MetaOf<ReturnType<typeof issues>>>().toEqualTypeOf<Page>();
    const states = () => linear.execute('workflow_states', 'list');
    expectTypeOf<DataOf<ReturnType<typeof states>>>().toEqualTypeOf<WorkflowState[]>();
    const comments = () => linear.execute('comments', 'list', { issueId: 'ENG-1' });
    expectTypeOf<DataOf<ReturnType<typeof comments>>>().toEqualTypeOf<Comment[]>();
  });

  it('is one record for get', () => {
    const issue = () => linear.execute('issues', 'get', { id: 'ENG-1' });
    const project = () => linear.execute('projects', 'get', { id: 'p' });
    const team = () => linear.execute('teams', 'get', { id: 'ENG' });
    const user = () => linear.execute('users', 'get', { id: 'u' });
    expectTypeOf<DataOf<ReturnType<typeof issue>>>().toEqualTypeOf<Issue>();
    expectTypeOf<DataOf<ReturnType<typeof project>>>().toEqualTypeOf<Project>();
    expectTypeOf<DataOf<ReturnType<typeof team>>>().toEqualTypeOf<Team>();
    expectTypeOf<DataOf<ReturnType<typeof user>>>().toEqualTypeOf<User>();
  });

  it('is success and the record under its key for writes', () => {
    const issue = () => linear.execute('issues', 'create', { teamId: 't', title: 'x' });
    const project = () => linear.execute('projects', 'update', { id: 'p', state: 'started' });
    const comment = () => linear.execute('comments', 'update', { id: 'c', body: 'x' });
    expectTypeOf<DataOf<ReturnType<typeof issue>>['issue']>().toEqualTypeOf<SavedIssue>();
    expectTypeOf<DataOf<ReturnType<typeof issue>>['success']>().toEqualTypeOf<boolean>();
    expectTypeOf<DataOf<ReturnType<typeof project>>['project']>().toEqualTypeOf<Project>();
    expectTypeOf<DataOf<ReturnType<typeof comment>>['comment']>().toEqualTypeOf<Comment>();
  });

  it('is searchable fields, each nullable, for a lexical search', () => {
    const search = () => linear.execute('users', 'context_store_search', { query: {} });
    type Found = DataOf<ReturnType<typeof search>>[number];
    expectTypeOf<Found['email']>().toEqualTypeOf<string | null>();
    expectTypeOf<Found['active']>().toEqualTypeOf<boolean | null>();
    expectTypeOf<Found['createdIssueCount']>().toEqualTypeOf<number | null>();
    expectTypeOf<Found['teams']>().toEqualTypeOf<Record<string, unknown> | null>();
    expectTypeOf<Found['teamIds']>().toEqualTypeOf<unknown[] | null>();
    expectTypeOf<MetaOf<ReturnType<typeof search>>>().toEqualTypeOf<SearchMeta>();
  });

  it('is groups for a search that counts them', () => {
    const grouped = () => linear.execute('issues', 'context_store_search', { query: { groupBy: ['state.name'] } });
    expectTypeOf<DataOf<ReturnType<typeof grouped>>>().toEqualTypeOf<Group[]>();
    const query = { aggregates: { mean: { avg: 'estimate' } }, sort: [{ count: 'desc' }] } as const;
    const method = () => linear.issues.context_store_search({ query });
    expectTypeOf<DataOf<ReturnType<typeof method>>>().toEqualTypeOf<Group[]>();
    // @ts-expect-error not a field
    const unknown = () => linear.issues.context_store_search({ query: { groupBy: 'stat.name' } });
    expectTypeOf(unknown).toBeFunction();
  });

  it('is hits for a semantic search', () => {
    const search = () => linear.execute('issues', 'context_store_search', { semantic: { prompt: 'crash' } });
    type Found = DataOf<ReturnType<typeof search>>[number];
    expectTypeOf<Found['metadata']['score']>().toEqualTypeOf<number>();
    expectTypeOf<Found['metadata']['creatorName']>().toEqualTypeOf<string | null>();
    expectTypeOf<Found['entity']['identifier']>().toEqualTypeOf<string | null>();
    expectTypeOf<Found>().toExtend<Hit<any>>();
    type Entity = Found['entity'];
    expectTypeOf<'description' extends keyof Entity ? true : false>().toEqualTypeOf<false>();
  });

  it('is the same through an entity method', () => {
    const direct = () => linear.execute('issues', 'get', { id: 'x' });
    const method = () => linear.issues.get({ id: 'x' });
    expectTypeOf<ReturnType<typeof method>>().toEqualTypeOf<ReturnType<typeof direct>>();
    const states = () => linear.workflow_states.list();
    expectTypeOf<DataOf<ReturnType<typeof states>>>().toEqualTypeOf<WorkflowState[]>();
    const comments = () => linear.comments.list({ issueId: 'ENG-1', first: 5 }, { timeoutMs: 5 });
    expectTypeOf<DataOf<ReturnType<typeof comments>>>().toEqualTypeOf<Comment[]>();
  });

  it('has optional parts when fields are selected or excluded', () => {
    const selected = () => linear.execute('issues', 'get', { id: 'x' }, { selectFields: ['id', 'state.name'] });
    expectTypeOf<DataOf<ReturnType<typeof selected>>['title']>().toEqualTypeOf<string | null | undefined>();
    const excluded = () => linear.execute('issues', 'list', {}, { excludeFields: ['description'] });
    expectTypeOf<DataOf<ReturnType<typeof excluded>>[number]['id']>().toEqualTypeOf<string | undefined>();
    const cut = () => linear.execute('issues', 'get', { id: 'x' }, { maxStringLength: 5 });
    expectTypeOf<DataOf<ReturnType<typeof cut>>>().toEqualTypeOf<Issue>();
  });

  it('has additional fields with raw', () => {
    const raw = () => linear.execute('projects', 'get', { id: 'x' }, { raw: true });
    expectTypeOf<DataOf<ReturnType<typeof raw>>['status']>().toEqualTypeOf<unknown>();
    expectTypeOf<DataOf<ReturnType<typeof raw>>['id']>().toEqualTypeOf<string>();
  });
});

describe('a record', () => {
  it('has an id and otherwise nullable fields', () => {
    expectTypeOf<Issue['id']>().toEqualTypeOf<string>();
    expectTypeOf<Issue['title']>().toEqualTypeOf<string | null>();
    expectTypeOf<Issue['priority']>().toEqualTypeOf<number | null>();
    expectTypeOf<Project['state']>().toEqualTypeOf<string | null>();
    expectTypeOf<User['admin']>().toEqualTypeOf<boolean | null>();
  });

  it('has objects with exactly the queried fields', () => {
    expectTypeOf<NonNullable<Issue['state']>['name']>().toEqualTypeOf<string>();
    expectTypeOf<keyof NonNullable<Issue['assignee']>>().toEqualTypeOf<'id' | 'name' | 'email' | 'active'>();
    expectTypeOf<NonNullable<Comment['issue']>['identifier']>().toEqualTypeOf<string>();
  });

  it('has no team right after it was saved', () => {
    expectTypeOf<'team' extends keyof SavedIssue ? true : false>().toEqualTypeOf<false>();
    expectTypeOf<'team' extends keyof Issue ? true : false>().toEqualTypeOf<true>();
  });
});

describe('paginate', () => {
  it('yields records, or pages with meta', async () => {
    const issues = linear.paginate('issues', 'list');
    for await (const issue of issues) expectTypeOf(issue).toEqualTypeOf<Issue>();
    for await (const page of issues.pages()) expectTypeOf(page).toEqualTypeOf<Result<Issue[], Page>>();
    for await (const found of linear.paginate('teams', 'context_store_search', { query: {} })) {
      expectTypeOf(found.key).toEqualTypeOf<string | null>();
    }
  });
});

describe('describe()', () => {
  it('knows the names of entities and actions', () => {
    const description = linear.describe();
    type Entity = (typeof description)['entities'][number];
    expectTypeOf(description.name).toEqualTypeOf<'linear'>();
    expectTypeOf<Entity['name']>().toEqualTypeOf<
      'issues' | 'projects' | 'teams' | 'workflow_states' | 'users' | 'comments'
    >();
    type States = Extract<Entity, { name: 'workflow_states' }>;
    expectTypeOf<States['actions'][number]['name']>().toEqualTypeOf<'list' | 'context_store_search'>();
    expectTypeOf(LinearConnector.describe()).toEqualTypeOf(description);
  });
});

describe('a connector with unknown names', () => {
  it('represents every connector', async () => {
    const any: AnyConnector = new LinearConnector();
    expectTypeOf(any.execute).toBeCallableWith('whatever', 'list', { x: 1 });
    expectTypeOf<Awaited<ReturnType<AnyConnector['execute']>>>().toEqualTypeOf<Result>();
    expectTypeOf(any.describe()).toEqualTypeOf<ConnectorDescription>();
  });

  it('is loaded by its type name as its own class', async () => {
    const Class = await connectors.linear();
    expectTypeOf(Class).toEqualTypeOf<typeof LinearConnector>();
    expectTypeOf(new Class({ credentials: { api_key: 'x' } })).toEqualTypeOf<LinearConnector>();
  });
});

describe('ConnectorError', () => {
  it('is narrowed by its guard', () => {
    const error: unknown = undefined;
    const Guard = (value: unknown): value is ConnectorError => value === error;
    expectTypeOf<typeof import('agent-connectors').ConnectorError.is>().toEqualTypeOf<typeof Guard>();
    expectTypeOf<ConnectorError['code']>().toExtend<string>();
    expectTypeOf<'unknown_outcome'>().toExtend<ConnectorError['code']>();
  });
});
