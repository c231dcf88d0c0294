import { expect, test } from 'vitest';
import { openEditor } from './editor.js';
import { places } from './places.js';

const at = openEditor(places);

/** Every option of a call. */
const callOptions = [
  ...['excludeFields', 'intent', 'maxStringLength', 'once', 'onUploadBegun', 'plan', 'raw', 'selectFields', 'signal'],
  ...['timeoutMs', 'view'],
];
const issueActions = ['context_store_search', 'create', 'get', 'list', 'update'];
const issueParameters = ['after', 'filter', 'first', 'includeArchived', 'orderBy'];
const types = ['gong', 'google-analytics', 'google-drive', 'granola', 'linear'];

test.each([
  ['class', /^Issues, projects, teams/],
  ['entity', /^Issues of all teams/],
  ['action', /^List issues, the newest first/],
  ['parameter', /1 to 250; 50 when left out/],
  ['parameter of execute', /^0 none, 1 urgent/],
  ['parameter that clears', /null unassigns/],
  ['field of a result', /^0 none, 1 urgent/],
  ['field of execute', /such as ENG-123/],
  ['field of meta', /for the next page/],
  ['option of a connector', /^Milliseconds/],
  ['credential', /begins with lin_api_/],
  ['parameter of a search', /1000 when left out/],
  ['file', /^List files and folders/],
] as const)('hover explains: %s', (place, text) => {
  expect(at(`hover: ${place}`).hover().documentation).toMatch(text);
});

test('hover calls parameters, records and meta by their names', () => {
  expect(at('hover: result').hover().text).toBe('const page: Result<Issue[], IssuesListMeta>');
  expect(at('hover: action').hover().text).toContain('(params?: IssuesListParams | undefined, options?: ');
});

test.each(['action', 'execute', 'action of execute'] as const)('help with arguments is one signature: %s', (place) => {
  expect(at(`signatures: ${place}`).signatures()).toHaveLength(1);
});

test.each([
  ['actions', issueActions],
  ['parameters', issueParameters],
  ['options', callOptions],
  ['options of execute', callOptions],
  ['options of a search', callOptions],
  ['options of a paginated list', callOptions],
] as const)('completion offers just these, and explains each: %s', (place, names) => {
  const found = at(`completion: ${place}`).completions();
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
  expect(found.filter(({ documentation }) => documentation === '')).toEqual([]);
});

test.each([
  ['actions of execute', issueActions],
  ['parameters of execute', issueParameters],
  ['entities of execute', ['comments', 'issues', 'projects', 'teams', 'users', 'workflow_states']],
  ['connector types', types],
] as const)('completion offers just these: %s', (place, names) => {
  expect(at(`completion: ${place}`).names().sort()).toEqual([...names].sort());
});

test.each([
  ['entities', ['issues', 'projects', 'execute', 'paginate']],
  ['fields', ['identifier', 'priority', 'state']],
  ['paths of selectFields', ['identifier', 'state', 'state.name', 'labels.name']],
  ['conditions of a search', ['assignee', 'title']],
  ['options of a connector', ['credentials', 'hosted', 'readOnly']],
] as const)('completion offers: %s', (place, names) => {
  expect(at(`completion: ${place}`).names()).toEqual(expect.arrayContaining([...names]));
});

test.each([
  ['entity', 'connectors/linear/index.ts', /^issues: entity\(/],
  ['action', 'connectors/linear/index.ts', /^create: /],
  ['file action', 'connectors/google-drive/files.ts', /^get: /],
  ['parameter', 'connectors/linear/operations.ts', /^first: z\.int\(\)/],
  ['field', 'connectors/linear/records.ts', /^priority: /],
] as const)('a definition is where the manifest has it: %s', (place, file, line) => {
  const found = at(`definition: ${place}`).definition();
  expect(found.file).toBe(file);
  expect(found.line).toMatch(line);
});
