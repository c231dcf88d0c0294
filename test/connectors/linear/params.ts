import type { LinearConnector } from 'agent-connectors/linear';

const first = async (list: Promise<{ data: ReadonlyArray<{ id: string }> }>) => (await list).data[0]!.id;
const anIssue = (linear: LinearConnector) => first(linear.issues.list({ first: 1 }));
const aProject = (linear: LinearConnector) => first(linear.projects.list({ first: 1 }));
const aTeam = (linear: LinearConnector) => first(linear.teams.list({ first: 1 }));
const aUser = (linear: LinearConnector) => first(linear.users.list({ first: 1 }));

/** One of the newest issues, with at least three comments. */
async function aDiscussion(linear: LinearConnector): Promise<string> {
  const { data } = await linear.issues.list({ first: 50 });
  for (const { id } of data) {
    if ((await linear.comments.list({ issueId: id, first: 3 })).data.length === 3) return id;
  }
  throw new Error('No issue has three comments.');
}

const aComment = async (linear: LinearConnector) => first(linear.comments.list({ issueId: await aDiscussion(linear) }));

/** For each `entity.action`, parameters that succeed on a sandbox. */
export const params: Readonly<Record<string, (linear: LinearConnector) => object | Promise<object>>> = {
  'issues.list': () => ({}),
  'issues.get': async (linear) => ({ id: await anIssue(linear) }),
  'issues.create': async (linear) => ({ teamId: await aTeam(linear), title: 'Once', priority: 2 }),
  'issues.update': async (linear) => ({ id: await anIssue(linear), title: 'Once' }),
  'projects.list': () => ({}),
  'projects.get': async (linear) => ({ id: await aProject(linear) }),
  'projects.create': async (linear) => ({ name: 'Once', teamIds: [await aTeam(linear)], state: 'planned' }),
  'projects.update': async (linear) => ({ id: await aProject(linear), state: 'paused' }),
  'teams.list': () => ({}),
  'teams.get': async (linear) => ({ id: await aTeam(linear) }),
  'workflow_states.list': () => ({}),
  'users.list': () => ({}),
  'users.get': async (linear) => ({ id: await aUser(linear) }),
  'comments.list': async (linear) => ({ issueId: await aDiscussion(linear) }),
  'comments.get': async (linear) => ({ id: await aComment(linear) }),
  'comments.create': async (linear) => ({ issueId: await anIssue(linear), body: 'Once' }),
  'comments.update': async (linear) => ({ id: await aComment(linear), body: 'Once' }),
};
