import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);

async function issues(filter: object): Promise<any[]> {
  const query = `query($filter: IssueFilter) { issues(first: 250, filter: $filter, includeArchived: true) {
    nodes { id title description createdAt dueDate team { key } assignee { name } project { state } } } }`;
  const answer = await ask(query, { filter });
  expect(answer.errors).toBeUndefined();
  return answer.data.issues.nodes;
}

describe('filters', () => {
  it.each([
    [{ title: { contains: 'Safari' } }, (one: any) => one.title.includes('Safari')],
    [{ title: { notContains: 'a' } }, (one: any) => !one.title.includes('a')],
    [{ title: { startsWithIgnoreCase: 'CSV' } }, (one: any) => /^csv/i.test(one.title)],
    [{ title: { containsIgnoreCaseAndAccent: 'UBERWEISUNG' } }, (one: any) => one.title.includes('Überweisung')],
    [{ description: { null: true } }, (one: any) => one.description === null],
    [{ createdAt: { gt: '-P30D' } }, (one: any) => Date.parse(one.createdAt) > noon - 30 * 86_400_000],
    [{ dueDate: { lt: '2026-01-01' } }, (one: any) => one.dueDate !== null && one.dueDate < '2026-01-01'],
    [{ team: { key: { nin: ['ENG', 'SUP'] } } }, (one: any) => ['MOB', 'DES'].includes(one.team.key)],
    [{ assignee: { name: { eq: 'Zoë Lindqvist' } } }, (one: any) => one.assignee?.name === 'Zoë Lindqvist'],
    [{ project: { state: { eq: 'paused' } } }, (one: any) => one.project?.state === 'paused'],
    [{ and: [{ project: { null: true } }, { assignee: { null: true } }] }, (one: any) => !one.project && !one.assignee],
  ])('%j finds matching records', async (filter, fits) => {
    const found = await issues(filter);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(fits)).toBe(true);
    const rest = (await issues({ number: { lte: 40 } })).filter(fits).map((issue) => issue.id);
    expect(found.length >= 250 || rest.every((id) => found.some((issue) => issue.id === id))).toBe(true);
  });

  it('support isMe for the viewer', async () => {
    const { data } = await ask('{ users(filter: { isMe: { eq: true } }) { nodes { email } } }');
    expect(data.users.nodes).toEqual([{ email: 'tomas.aguirre@fernhill.example' }]);
  });
});
