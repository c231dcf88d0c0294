import type { JsonSchema } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { expect, test } from 'vitest';
import { openEditor } from './editor.js';
import { places } from './places.js';

const at = openEditor(places);

/** Every option for a call. */
const callOptions = [
  'beforeAttempt',
  'excludeFields',
  'idempotencyKey',
  'intent',
  'maxStringLength',
  'once',
  'onUploadBegun',
  'plan',
  'raw',
  'selectFields',
  'signal',
  'timeoutMs',
  'view',
];
const issueActions = ['context_store_search', 'create', 'get', 'list', 'update'];
const issueParameters = ['after', 'count', 'filter', 'first', 'includeArchived', 'orderBy'];
const types = ['gong', 'google-analytics', 'google-drive', 'granola', 'linear'];

const linear = LinearConnector.describe();
const issues = linear.entities.find(({ name }) => name === 'issues')!;
const actionOf = (name: string) => issues.actions.find((action) => action.name === name)!;
/** The annotations of a property in JSON Schema. */
const textOf = (schema: JsonSchema | null, name: string): string | undefined =>
  (schema?.properties as Record<string, { readonly description: string }> | undefined)?.[name]?.description;
const listFiles = GoogleDriveConnector.describe().entities.find(({ name }) => name === 'files')!.actions[0]!;

test.each([
  ['entity', issues.description],
  ['action', actionOf('list').description],
  ['parameter', textOf(actionOf('list').params, 'first')],
  ['parameter of execute', textOf(actionOf('update').params, 'priority')],
  ['parameter that clears', textOf(actionOf('update').params, 'assigneeId')],
  ['field of a result', textOf(actionOf('get').data, 'priority')],
  ['field of execute', textOf(actionOf('list').data, 'identifier')],
  ['field of meta', textOf(actionOf('list').meta, 'endCursor')],
  ['credential', linear.auth.find(({ mode }) => mode === 'api_key')!.description],
  ['file', listFiles.description],
] as const)("hover explains in the manifest's words: %s", (place, text) => {
  expect(text).toBeTruthy();
  expect(at(`hover: ${place}`).hover().documentation).toBe(text);
});

test.each([
  ['execute', "linear.execute('issues', 'list', { first: 10 })"],
  ['constructor', 'new LinearConnector({ credentials: { api_key: '],
] as const)('hover takes at most five lines of 120 characters and has an example: %s', (place, example) => {
  const { text, documentation, tags } = at(`hover: ${place}`).hover();
  const lines = [text, documentation, tags].flatMap((part) =>
    part.split('\n').flatMap((line) => line.match(/.{1,120}/g) ?? []),
  );
  expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(5);
  expect(tags).toContain(example);
});

test.each(['class', 'option of a connector', 'parameter of a search'] as const)('hover explains: %s', (place) => {
  expect(at(`hover: ${place}`).hover().documentation).not.toBe('');
});

test('hover names the types of parameters, records and meta', () => {
  expect(at('hover: result').hover().text).toBe('const page: Result<Issue[], IssuesListMeta>');
  expect(at('hover: action').hover().text).toContain('(params?: IssuesListParams | undefined, options?: ');
});

test.each(['action', 'execute', 'action of execute'] as const)('parameter help shows one signature: %s', (place) => {
  expect(at(`signatures: ${place}`).signatures()).toHaveLength(1);
});

test.each([
  ['actions', issueActions],
  ['parameters', issueParameters],
  ['options', callOptions],
  ['options of execute', callOptions],
  ['options of a search', callOptions],
  ['options of a paginated list', callOptions],
] as const)('completion offers exactly these, and explains each: %s', (place, names) => {
  const found = at(`completion: ${place}`).completions();
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
  expect(found.filter(({ documentation }) => documentation === '')).toEqual([]);
});

test.each([
  ['actions of execute', issueActions],
  ['parameters of execute', issueParameters],
  ['entities of execute', ['comments', 'issues', 'projects', 'teams', 'users', 'workflow_states']],
  ['connector types', types],
] as const)('completion offers exactly these: %s', (place, names) => {
  expect(at(`completion: ${place}`).names().sort()).toEqual([...names].sort());
});

test.each([
  ['entities', ['issues', 'projects', 'execute', 'paginate']],
  ['fields', ['identifier', 'priority', 'state']],
  ['paths of selectFields', ['identifier', 'state', 'state.name', 'labels.name']],
  ['conditions of a search', ['assignee', 'title']],
  ['options of a connector', ['credentials', 'hosted', 'readOnly']],
  ['replication_config', ['entities', 'folder_url', 'interval', 'permissions', 'shared_with_me']],
  ['entities to replicate', ['comments', 'issues', 'projects', 'teams', 'users', 'workflow_states']],
  ['dimensions', ['date', 'sessionSource', 'pagePath']],
  ['export formats', ['application/pdf', 'text/markdown', 'text/csv']],
] as const)('completion offers: %s', (place, names) => {
  expect(at(`completion: ${place}`).names()).toEqual(expect.arrayContaining([...names]));
});

test.each([
  ['entity', 'connectors/linear/entities.ts', /^export const issues = entity\(/],
  ['action', 'connectors/linear/entities.ts', /^create: /],
  ['file action', 'connectors/google-drive/files.ts', /^get: /],
  ['parameter', 'connectors/linear/operations.ts', /^first: z\.int\(\)/],
  ['field', 'connectors/linear/records.ts', /^priority: /],
] as const)('go to definition opens the manifest: %s', (place, file, line) => {
  const found = at(`definition: ${place}`).definition();
  expect(found.file).toBe(file);
  expect(found.line).toMatch(line);
});
