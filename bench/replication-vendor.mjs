// The vendor of bench/replication.mjs, in its own process: Linear's list of issues with as many distinct ones as asked
// for, in the responses that the sandbox gives.
import { createServer } from 'node:http';
import { createSandbox } from 'agent-connectors-sandbox';
import { oneOf, vocabulary } from './store-records.mjs';

const total = Number(process.argv[2] ?? 3000);
const sandbox = createSandbox({ seed: 1 });
const { api_key } = sandbox.vendors.linear.credentials.api_key;
const newest = Date.UTC(2026, 0, 1);
const createdAt = (index) => new Date(newest - index * 60_000).toISOString();
/** Issues of the sandbox, by the query that reads them. @type {Map<string, Promise<any>>} */
const templates = new Map();

async function templateOf(query) {
  const response = await sandbox.handle(
    new Request('http://localhost/linear/graphql', {
      method: 'POST',
      headers: { authorization: api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: {} }),
    }),
  );
  return (await response.json()).data.issues;
}

/** Words of the sandbox's issues, and one rare word in twenty. */
const { nodes } = await templateOf('{ issues(first: 50) { nodes { title description } } }');
const words = nodes.flatMap(({ title, description }) => `${title} ${description}`.split(/\s+/));
const text = (length) => Array.from({ length }, (_, index) => oneOf(index % 20 === 19 ? vocabulary : words)).join(' ');
/** Made before the measurement. */
const texts = Array.from({ length: total }, () => ({ title: text(8), description: text(100) }));

const idOf = (index) => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

function pageOf({ nodes, pageInfo }, { filter }) {
  const before = filter?.createdAt?.lt;
  const start = before ? Math.floor((newest - Date.parse(before)) / 60_000) + 1 : 0;
  const count = Math.max(0, Math.min(nodes.length, total - start));
  const issues = nodes.slice(0, count).map((node, at) => {
    const index = start + at;
    const number = total - index;
    const identifier = `ENG-${number}`;
    return { ...node, ...texts[index], id: idOf(index), identifier, number, createdAt: createdAt(index) };
  });
  return { nodes: issues, pageInfo: { ...pageInfo, hasNextPage: start + count < total } };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (part) => chunks.push(part));
  request.on('end', async () => {
    const { query, variables = {} } = JSON.parse(Buffer.concat(chunks).toString());
    if (!templates.has(query)) templates.set(query, templateOf(query));
    const issues = pageOf(await templates.get(query), variables);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { issues } }));
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${server.address().port}`, api_key }));
process.on('disconnect', () => process.exit());
