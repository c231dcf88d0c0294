/** The demo: an agent's question and four calls to the emulated vendors, through a local service. */
import { existsSync } from 'node:fs';
import { ConnectorError } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { answerQuestion } from './agent.js';
import { heading, show } from './screen.js';
import { startCompany } from './service.js';

const started = performance.now();
console.log('Linear, Gong and Google Drive for a fictional company, emulated locally. No account, no network.');

const company = await startCompany();
const linear = company.client.connect(LinearConnector);
const gong = company.client.connect(GongConnector);
const drive = company.client.connect(GoogleDriveConnector);

heading('An agent answers a question. A script stands in for the model, but the tool calls are real.');
await answerQuestion(company.client, { linear, gong, 'google-drive': drive });

heading('Your program calls the same connectors.');
const [issue] = await show(
  'linear.issues.list({ first: 3 })',
  async () => (await linear.issues.list({ first: 3 })).data,
  (issues) => issues.map(({ identifier, state, title }) => `${identifier}  ${state?.name}: ${title}`),
);

await show(
  "linear.execute('issues', 'create', { titel: 'Typo', priority: 9 })",
  () => linear.execute('issues', 'create', JSON.parse('{ "titel": "Typo", "priority": 9 }')).catch((error) => error),
  (error) => (ConnectorError.is(error) ? `${error.code}: ${error.message}`.split('; ') : [String(error)]),
);

await show(
  "linear.comments.create({ issueId, body: 'It works, **offline**.' })",
  () => linear.comments.create({ issueId: issue?.id ?? '', body: 'It works, **offline**.' }),
  ({ data }) => [`on ${data.comment.issue?.identifier}: ${data.comment.body}`],
);

await show(
  "linear.issues.context_store_search({ semantic: { prompt: 'VAT in Norway' }, limit: 1 })",
  () => linear.issues.context_store_search({ semantic: { prompt: 'VAT in Norway' }, limit: 1 }),
  ({ data }) => data.map(({ entity, metadata }) => `${entity.identifier} ${entity.title}: ${metadata.context}`),
);

await company.close();
/** The path in this repository, or in the installed packages. */
const next = ['docs/guides/first-call.md', 'node_modules/agent-connectors/README.md'].find((path) => existsSync(path));
console.log(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. Next, make your first call: ${next}`);
