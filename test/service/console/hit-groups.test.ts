import type { WorkspaceHit } from 'agent-connectors/wire';
import { expect, test } from 'vitest';
import { groupHits, pathOf } from '../../../service/console/src/data/hits.js';
import { partsOf, singularOf, wordsOf } from '../../../service/console/src/data/record.js';

const hit = (entity_name: string, entity: Record<string, unknown>, own: Partial<WorkspaceHit> = {}): WorkspaceHit => ({
  connector: { id: 'con_1', name: 'Our issues', type: 'linear' },
  entity_name,
  field: 'about',
  title: 'Reset hangs',
  url: null,
  date: null,
  person: null,
  people: [],
  snippet: '',
  duplicates: 0,
  entity,
  metadata: { score: 1, context: '' },
  ...own,
});
const url = 'https://linear.app/a/issue/SUP-1';
const issue = hit('issues', { id: 'i1', identifier: 'SUP-1', assigneeId: 'u1' }, { url });
const comment = (id: string) => hit('comments', { id, issueId: 'i1', userId: 'u1' }, { url: `${url}#comment-${id}` });
const idsOf = (hits: readonly WorkspaceHit[]) =>
  groupHits(hits).map(({ main, parts }) => [main?.entity.id, parts.map(({ entity }) => entity.id)]);

test('comments are below their issue, in the place of the best of them', () => {
  const other = hit('issues', { id: 'i2' }, { title: 'Another' });
  expect(idsOf([comment('c1'), other, issue, comment('c2')])).toEqual([
    ['i1', ['c1', 'c2']],
    ['i2', []],
  ]);
});

test('comments without their issue are one group that leads to the issue', () => {
  const [group, ...others] = groupHits([comment('c1'), comment('c2')]);
  expect([group!.main, group!.parts.length, others]).toEqual([undefined, 2, []]);
  expect(pathOf(group!, ['issues', 'comments'])).toBe('/connectors/con_1/records/issues/i1');
});

test('a transcript without a URL is a part of the call with its title and id', () => {
  const call = hit('calls', { id: '7782342274025937895' }, { title: 'Onboarding' });
  const transcript = hit('call_transcripts', { callId: '7782342274025937895' }, { title: 'Onboarding' });
  expect(groupHits([transcript, call])).toEqual([{ main: call, parts: [transcript] }]);
});

test('records with equal titles, or of one person, stay apart', () => {
  const user = hit('users', { id: 'u1' }, { title: 'Ada' });
  expect(
    groupHits([hit('notes', { id: 'n1', ownerId: 'u1' }), hit('notes', { id: 'n2', ownerId: 'u1' }), user]),
  ).toHaveLength(3);
  const elsewhere = { ...issue, connector: { ...issue.connector, id: 'con_2' } };
  expect(groupHits([issue, elsewhere])).toHaveLength(2);
});

test('a record shows state, people and dates, its text, and folds what is for programs', () => {
  const parts = partsOf({
    id: 'i1',
    title: 'Reset hangs',
    prioritySortOrder: -1491,
    sortOrder: 3,
    updatedAt: '2026-11-29T09:21:49Z',
    assignee: { id: 'u1', name: 'Ada' },
    state: { name: 'Done' },
    identifier: 'SUP-1',
    description: 'It hangs.',
    url,
    assigneeId: 'u1',
    branchName: 'ada/sup-1',
    bodyData: '{"type":"doc"}',
    estimate: 3,
    addedToTeamAt: '2026-11-29T09:21:49Z',
  });
  expect(parts.texts).toEqual(['description']);
  expect(parts.main).toEqual(['identifier', 'state', 'assignee', 'updatedAt', 'estimate', 'branchName']);
  expect([...parts.more].sort()).toEqual([
    'addedToTeamAt',
    'assigneeId',
    'bodyData',
    'id',
    'prioritySortOrder',
    'sortOrder',
    'url',
  ]);
});

test('names of fields and entities are words', () => {
  expect(['updatedAt', 'created_time', 'prioritySortOrder', 'file_name', 'dueDate', 'label'].map(wordsOf)).toEqual([
    'Updated',
    'Created',
    'Priority sort order',
    'File name',
    'Due date',
    'Label',
  ]);
  expect(['issues', 'categories', 'statuses', 'status'].map(singularOf)).toEqual([
    'Issue',
    'Category',
    'Status',
    'Status',
  ]);
});
