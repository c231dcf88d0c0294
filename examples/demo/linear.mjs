import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { paint, show } from './show.mjs';

/**
 * Issues and projects: reads, writes, and an invalid call.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 */
export async function tourLinear(server) {
  const linear = new LinearConnector({
    credentials: server.sandbox.vendors.linear.credentials.api_key, // yours: { api_key: process.env.LINEAR_API_KEY }
    endpoints: `${server.url}/linear`, // yours: omit this
  });
  const { title, entities } = linear.describe();
  console.log(`${title}, emulated at ${server.url}/linear: ${entities.map(({ name }) => name).join(', ')}\n`);

  const teams = await show(
    "execute('teams', 'list')",
    () => linear.execute('teams', 'list'),
    ({ data }) => data.map(({ key, name }) => `${key} ${name}`).join(', '),
  );

  await show(
    "execute('issues', 'list', { first: 3 })",
    () => linear.execute('issues', 'list', { first: 3 }),
    ({ data }) => data.map((issue) => `\n    ${(issue.state?.name ?? '').padEnd(12)} ${issue.title}`).join(''),
  );

  await show(
    "paginate('issues', 'list', { first: 100 })",
    async () => {
      let count = 0;
      for await (const _issue of linear.paginate('issues', 'list', { first: 100 })) count++;
      return count;
    },
    (count) => `${count} issues, page by page`,
  );

  const [team] = teams.data;
  const [user] = (await linear.users.list({ first: 1 })).data;

  const project = await show(
    "projects.create({ …, state: 'planned' })",
    () => linear.projects.create({ name: 'Offline demo', teamIds: [team.id], state: 'planned' }),
    ({ data }) => `${data.project.name} is ${data.project.state}`,
  );

  const made = await show(
    'issues.create({ teamId, title, priority, projectId })',
    () =>
      linear.issues.create({
        teamId: team.id,
        title: 'Try the demo with a real key',
        description: 'Set `LINEAR_API_KEY` and leave `endpoints` out.',
        priority: 2,
        projectId: project.data.project.id,
      }),
    ({ data }) => `"${data.issue.title}" in ${data.issue.project?.name}`,
  );
  const { id } = made.data.issue;

  await show(
    'issues.update({ id, assigneeId })',
    () => linear.issues.update({ id, assigneeId: user.id }),
    ({ data }) => `assigned to ${data.issue.assignee?.name}`,
  );

  await show(
    'comments.create({ issueId, body })',
    () => linear.comments.create({ issueId: id, body: 'It works, **offline**.' }),
    ({ data }) => `on ${data.comment.issue?.identifier}: ${data.comment.body}`,
  );

  await show(
    "issues.get({ id }, { selectFields: ['title', …] })",
    () => linear.issues.get({ id }, { selectFields: ['title', 'state.name', 'assignee.name'] }),
    ({ data }) => JSON.stringify(data),
  );

  server.sandbox.faults.add({ kind: '503', rootField: 'users' });
  await show(
    "execute('users', 'list') while Linear answers 503",
    () => linear.execute('users', 'list', { first: 5 }),
    ({ data }) => `${data.length} users, on the second try`,
  );

  console.log('\nAn invalid call is rejected before anything is sent, and the error lists every problem:\n');
  try {
    await linear.execute('issues', 'create', JSON.parse('{ "titel": "Typo", "priority": 9 }'));
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    console.log(`${paint('red', error.code)}  ${error.message}`);
  }
  return linear;
}
