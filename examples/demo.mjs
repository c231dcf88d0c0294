// A tour of the connectors against the offline sandbox, over real HTTP on loopback. Run it with `npm run demo`.
// With credentials of your own, only the two marked lines differ.

import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { ConnectorError } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { save } from 'agent-connectors/node';
import { serve } from 'agent-connectors-sandbox/server';

/** @param {'cyan' | 'red'} color @param {string} text */
const paint = (color, text) => (process.stdout.isTTY ? styleText(color, text) : text);

// A folder of the disk, which the sandbox serves as a Google Drive.
const folder = await mkdtemp(join(tmpdir(), 'agent-connectors-demo-'));
await mkdir(join(folder, 'Archive'));
await cp(new URL('../README.md', import.meta.url), join(folder, 'README.md'));

const server = await serve({ driveFolder: folder });
const linear = new LinearConnector({
  credentials: server.sandbox.vendors.linear.credentials.api_key, // yours: { api_key: process.env.LINEAR_API_KEY }
  endpoints: `${server.url}/linear`, // yours: leave it out
});

const started = performance.now();
let calls = 0;

/**
 * Runs one call and prints what came of it.
 *
 * @template T
 * @param {string} call
 * @param {() => Promise<T>} run
 * @param {(result: T) => string} summary
 */
async function show(call, run, summary) {
  const before = performance.now();
  const result = await run();
  const took = `${(performance.now() - before).toFixed(0)} ms`;
  calls++;
  console.log(`${paint('cyan', call.padEnd(54))}${took.padStart(7)}  ${summary(result)}`);
  return result;
}

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
  ({ data }) => `${data.length} users, at the second try`,
);

const granola = new GranolaConnector({
  credentials: server.sandbox.vendors.granola.credentials.api_key,
  endpoints: `${server.url}/granola`,
});
console.log(`\nGranola, emulated at ${server.url}/granola: notes\n`);

const notes = await show(
  'notes.list({ page_size: 3 })',
  () => granola.notes.list({ page_size: 3 }),
  ({ data }) => data.map((note) => `\n    ${note.created_at?.slice(0, 10)}  ${note.title ?? '(no title)'}`).join(''),
);

await show(
  "notes.get({ note_id, include: 'transcript' })",
  () => granola.notes.get({ note_id: notes.data[0].id, include: 'transcript' }),
  ({ data }) => `${data.transcript?.length} turns; it begins "${data.transcript?.[0]?.text?.slice(0, 60)}"`,
);

const drive = new GoogleDriveConnector({
  credentials: server.sandbox.vendors['google-drive'].credentials.oauth,
  endpoints: `${server.url}/google-drive`,
});
console.log(`\nGoogle Drive, emulated at ${server.url}/google-drive over a folder of the disk\n`);

const files = await show(
  "files.list({ q: 'trashed=false' })",
  () => drive.files.list({ q: 'trashed=false' }),
  ({ data }) => data.map(({ name }) => name).join(', '),
);
const readme = files.data.find(({ name }) => name === 'README.md');
const archive = files.data.find(({ name }) => name === 'Archive');
if (!readme || !archive) throw new Error('The folder is not in the drive.');

await show(
  'save(await files.download({ fileId }), path)',
  async () => save(await drive.files.download({ fileId: readme.id }), join(folder, '..', `${readme.id}.md`)),
  ({ bytes }) => `${bytes} bytes on disk`,
).then(({ path }) => rm(path));

const uploaded = await show(
  'files_upload.create({ name, file_content })',
  () =>
    drive.files_upload.create({
      name: 'notes.txt',
      file_content: btoa('Made by the demo.'),
      file_mime_type: 'text/plain',
    }),
  ({ data }) => `${data.name}, ${data.size} bytes`,
);

await show(
  'files.update({ fileId, addParents, removeParents })',
  () =>
    drive.files.update({
      fileId: uploaded.data.id,
      addParents: archive.id,
      removeParents: uploaded.data.parents?.[0] ?? 'root',
    }),
  () => 'moved to Archive',
);
const [moved] = await readdir(join(folder, 'Archive'));
console.log(`    on the disk: Archive/${moved}: ${await readFile(join(folder, 'Archive', moved ?? ''), 'utf8')}`);

console.log('\nA call that is wrong is refused before anything is sent, with everything that is wrong with it:\n');
try {
  await linear.execute('issues', 'create', JSON.parse('{ "titel": "Typo", "priority": 9 }'));
} catch (error) {
  if (!ConnectorError.is(error)) throw error;
  console.log(`${paint('red', error.code)}  ${error.message}`);
}

await server.close();
await rm(folder, { recursive: true });
console.log(`\n${calls} calls in ${(performance.now() - started).toFixed(0)} ms. Next: README.md, examples/.`);
