// The searches measured by bench/store.mjs.
import {
  first,
  instant,
  labels,
  oneOf,
  people,
  priorities,
  randomBelow,
  states,
  teams,
  vocabulary,
} from './store-records.mjs';

/** Some of the stored records, from which the searches take their values. */
export const sample = [];
const randomRecord = () => oneOf(sample);
const randomWord = () => oneOf((randomRecord().description ?? 'ba ce').split(' '));
const misspelt = (value) => `${value.slice(0, -2)}${value.slice(-1)}`;
const substringOf = (value) => value.slice(1, 5);
const query = (filter, sort) => ({ query: { ...(filter && { filter }), ...(sort && { sort }) } });

/** The searches to time: name, target p99 in milliseconds on SQLite with 100,000 records, parameters. */
export const searches = [
  ['eq id', 35, () => query({ eq: { id: randomRecord().id } })],
  [
    'eq assigneeId, 50',
    35,
    () => ({ ...query({ eq: { assigneeId: randomRecord().assigneeId ?? people[0] } }), limit: 50 }),
  ],
  ['eq title', 35, () => query({ eq: { title: randomRecord().title } })],
  ['eq null, 50', 35, () => ({ ...query({ eq: { assigneeId: null } }), limit: 50 })],
  ['eq state.name, 50', 35, () => ({ ...query({ eq: { 'state.name': oneOf(states).name } }), limit: 50 })],
  [
    'eq assignee.email, 50',
    35,
    () => ({ ...query({ eq: { 'assignee.email': randomRecord().assignee?.email ?? 'x' } }), limit: 50 }),
  ],
  ['neq, 50', 35, () => ({ ...query({ neq: { priorityLabel: oneOf(priorities) } }), limit: 50 })],
  ['gt, 50', 35, () => ({ ...query({ gt: { updatedAt: instant() } }), limit: 50 })],
  [
    'gte + lt + sort, 50',
    35,
    () => {
      const from = first + randomBelow(2 * 365 * 86_400_000);
      const range = {
        gte: { createdAt: new Date(from).toISOString() },
        lt: { createdAt: new Date(from + 30 * 86_400_000).toISOString() },
      };
      return { ...query(range, [{ updatedAt: 'desc' }]), limit: 50 };
    },
  ],
  ['lte, 50', 35, () => ({ ...query({ lte: { priority: randomBelow(5) } }), limit: 50 })],
  [
    'in with 5 values',
    35,
    () => ({ ...query({ in: { assigneeId: Array.from({ length: 5 }, () => oneOf(people)) } }), limit: 50 }),
  ],
  [
    'like, rare word',
    35,
    () => ({ ...query({ like: { description: `%${oneOf(vocabulary.slice(5000))}%` } }), limit: 50 }),
  ],
  ['like, substring', 35, () => ({ ...query({ like: { title: `%${substringOf(randomWord())}%` } }), limit: 50 })],
  ['like, two letters', 150, () => ({ ...query({ like: { title: '%q_z%' } }), limit: 50 })],
  ['fuzzy, one word', 35, () => ({ ...query({ fuzzy: { title: misspelt(randomWord()) } }), limit: 50 })],
  [
    'fuzzy, two words',
    35,
    () => ({ ...query({ fuzzy: { description: `${misspelt(randomWord())} ${randomWord()}` } }), limit: 50 }),
  ],
  ['keyword, one word', 35, () => ({ ...query({ keyword: { description: randomWord() } }), limit: 50 })],
  [
    'keyword, two words',
    35,
    () => ({ ...query({ keyword: { description: `${randomWord()} ${randomWord()}` } }), limit: 50 }),
  ],
  [
    'keyword + sort, 50',
    35,
    () => ({ ...query({ keyword: { description: randomWord() } }, [{ updatedAt: 'desc' }]), limit: 50 }),
  ],
  ['contains', 35, () => ({ ...query({ contains: { labelIds: oneOf(labels) } }), limit: 50 })],
  [
    'any with 3 values',
    35,
    () => ({ ...query({ any: { labelIds: [oneOf(labels), oneOf(labels), oneOf(labels)] } }), limit: 50 }),
  ],
  [
    'and + or + not + sort',
    35,
    () => ({
      ...query(
        {
          and: [
            { eq: { stateId: oneOf(states).id } },
            { or: [{ gte: { priority: 3 } }, { eq: { assigneeId: null } }] },
          ],
          not: { eq: { teamId: oneOf(teams) } },
        },
        [{ updatedAt: 'desc' }],
      ),
      limit: 50,
    }),
  ],
  ['page of 1000', 35, () => query(undefined, undefined)],
  ['one sort key, 1000', 35, () => query(undefined, [{ updatedAt: 'desc' }])],
  ['sort by nullable field, 1000', 35, () => query(undefined, [{ completedAt: 'asc' }])],
  ['sort by title, 50', 35, () => ({ ...query(undefined, [{ title: 'asc' }]), limit: 50 })],
  ['sort by priority, descending, 50', 35, () => ({ ...query(undefined, [{ priority: 'desc' }]), limit: 50 })],
  ['sort by priorityLabel, 50', 35, () => ({ ...query(undefined, [{ priorityLabel: 'asc' }]), limit: 50 })],
  ['sort by state.name, 50', 35, () => ({ ...query(undefined, [{ 'state.name': 'asc' }]), limit: 50 })],
  ['eq null, no match', 35, () => ({ ...query({ eq: { createdAt: null } }), limit: 50 })],
  ['neq null, no match', 35, () => ({ ...query({ neq: { parentId: null } }), limit: 50 })],
  ['gt state.name, no match', 35, () => ({ ...query({ gt: { 'state.name': 'Z' } }), limit: 50 })],
  ['two sort keys, 1000', 150, () => query(undefined, [{ priority: 'desc' }, { title: 'asc' }])],
];
