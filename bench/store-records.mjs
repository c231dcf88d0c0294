/** Issues for the context store benchmark: deterministic, with realistic word frequencies. */
/** Deterministic random numbers. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const random = randomFrom(20261120);
const randomBelow = (most) => Math.floor(random() * most);
const oneOf = (list) => list[randomBelow(list.length)];
const syllables = 'ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo'.split(' ');
const vocabulary = Array.from({ length: 20_000 }, (_, index) => {
  let word = '';
  for (let rest = index + 400; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
});
/** Few words are frequent and most are rare, as in any language. */
const word = () => vocabulary[Math.floor(20_000 ** random()) - 1 || 0];
const text = (length) => Array.from({ length }, word).join(' ');
const hex = (length) => Array.from({ length }, () => randomBelow(16).toString(16)).join('');
const uuid = () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;
const uuids = (count) => Array.from({ length: count }, uuid);
const [teams, people, projects, cycles, labels] = [uuids(12), uuids(200), uuids(80), uuids(60), uuids(150)];
const states = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled'].map((name) => ({
  id: uuid(),
  name,
  type: name,
}));
const priorities = ['No priority', 'Urgent', 'High', 'Medium', 'Low'];
const first = Date.UTC(2023, 0, 1);
const instant = () => new Date(first + randomBelow(3 * 365 * 86_400_000)).toISOString();
const maybe = (share, value) => (random() < share ? value : null);

function issue(number) {
  const state = oneOf(states);
  const priority = randomBelow(5);
  const assigneeId = maybe(0.8, oneOf(people));
  const identifier = `ENG-${number}`;
  const labelIds = Array.from({ length: randomBelow(4) }, () => oneOf(labels));
  return {
    id: uuid(),
    identifier,
    number,
    title: text(4 + randomBelow(8)),
    description: maybe(0.9, text(40 + randomBelow(120))),
    url: `https://linear.app/acme/issue/${identifier}`,
    branchName: `user/${identifier.toLowerCase()}`,
    stateId: state.id,
    state,
    teamId: oneOf(teams),
    assigneeId,
    assignee: assigneeId && {
      id: assigneeId,
      name: `Person ${assigneeId.slice(0, 4)}`,
      email: `${assigneeId.slice(0, 4)}@example.com`,
    },
    creatorId: oneOf(people),
    projectId: maybe(0.5, oneOf(projects)),
    cycleId: maybe(0.3, oneOf(cycles)),
    priority,
    priorityLabel: priorities[priority],
    estimate: maybe(0.4, randomBelow(8)),
    sortOrder: random() * 10_000,
    createdAt: instant(),
    updatedAt: instant(),
    startedAt: maybe(0.5, instant()),
    completedAt: maybe(0.3, instant()),
    dueDate: maybe(0.2, instant().slice(0, 10)),
    labelIds,
    labels: { nodes: labelIds.map((id) => ({ id, name: id.slice(0, 6) })) },
    subscriberIds: Array.from({ length: randomBelow(3) }, () => oneOf(people)),
  };
}

export {
  first,
  instant,
  issue,
  labels,
  oneOf,
  people,
  priorities,
  random,
  randomBelow,
  states,
  teams,
  text,
  uuid,
  vocabulary,
};
