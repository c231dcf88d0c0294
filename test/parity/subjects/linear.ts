import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { start, subjectOf } from '../subject.js';

const first = async (list: Promise<{ data: ReadonlyArray<{ id: string }> }>) => (await list).data[0]!.id;
const anIssue = (linear: LinearConnector) => first(linear.issues.list({ first: 1 }));
const aProject = (linear: LinearConnector) => first(linear.projects.list({ first: 1 }));
const aTeam = (linear: LinearConnector) => first(linear.teams.list({ first: 1 }));

/** An issue with comments, of the newest. */
async function aDiscussion(linear: LinearConnector): Promise<string> {
  const { data } = await linear.issues.list({ first: 50 });
  for (const { id } of data) {
    if ((await linear.comments.list({ issueId: id, first: 3 })).data.length === 3) return id;
  }
  throw new Error('No issue has three comments.');
}

const aComment = async (linear: LinearConnector) => first(linear.comments.list({ issueId: await aDiscussion(linear) }));

export const linear = subjectOf({
  Connector: LinearConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.2, now: () => start }),
  credentials: ({ vendors }) => vendors.linear.credentials.api_key,
  params: {
    'issues.list': () => ({}),
    'issues.get': async (connector) => ({ id: await anIssue(connector) }),
    'issues.create': async (connector) => ({ teamId: await aTeam(connector), title: 'Once', priority: 2 }),
    'issues.update': async (connector) => ({ id: await anIssue(connector), title: 'Once' }),
    'projects.list': () => ({}),
    'projects.get': async (connector) => ({ id: await aProject(connector) }),
    'projects.create': async (connector) => ({ name: 'Once', teamIds: [await aTeam(connector)], state: 'planned' }),
    'projects.update': async (connector) => ({ id: await aProject(connector), state: 'paused' }),
    'teams.list': () => ({}),
    'teams.get': async (connector) => ({ id: await aTeam(connector) }),
    'workflow_states.list': () => ({}),
    'users.list': () => ({}),
    'users.get': async (connector) => ({ id: await first(connector.users.list({ first: 1 })) }),
    'comments.list': async (connector) => ({ issueId: await aDiscussion(connector) }),
    'comments.get': async (connector) => ({ id: await aComment(connector) }),
    'comments.create': async (connector) => ({ issueId: await anIssue(connector), body: 'Once' }),
    'comments.update': async (connector) => ({ id: await aComment(connector), body: 'Once' }),
  },
  small: () => ({ first: 2 }),
  madeId: (action, data) => (action.endsWith('.create') ? (data.issue ?? data.project ?? data.comment)?.id : undefined),
});
