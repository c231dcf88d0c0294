// #region client, connect, tools
import { AgentConnectors } from 'agent-connectors/hosted';
// #endregion
// #region client, hosted, changed, split, connect, tools
import { LinearConnector } from 'agent-connectors/linear';
// #endregion
// #region tools
import { createAgentTools } from 'agent-connectors/tools';

// #endregion

// #region client, connect, tools
// Base URL, client id and client secret come from the environment.
const service = new AgentConnectors();
// #endregion

// #region client
const { id } = await service.connectors.create({
  connector_type: 'linear',
  name: 'Issues',
  credentials: { api_key: process.env.LINEAR_API_KEY ?? '' },
});
const { status } = await service.connectors.check(id);
console.log(status);
// #endregion

// #region hosted, changed, tools
const linear = new LinearConnector({ hosted: { name: 'Issues' } });
// #endregion

// #region hosted
const { data } = await linear.issues.list({ first: 5 });
console.log(data.map((issue) => issue.title));
// #endregion

// #region search
const urgent = await linear.issues.context_store_search({
  query: { filter: { in: { priority: [1, 2] }, keyword: { title: 'retry duplicate' } }, sort: [{ updatedAt: 'desc' }] },
  limit: 5,
});
console.log(urgent.data.map(({ identifier, title }) => `${identifier} ${title}`));

const duplicates = await linear.issues.context_store_search({
  semantic: { prompt: 'duplicate bookings when the bank is slow to respond' },
});
console.log(
  duplicates.data.map(({ entity, metadata }) => [entity.identifier, metadata.assigneeName, metadata.context]),
);
// #endregion

// #region changed
const since = '2026-01-01T00:00:00Z'; // the newest `updatedAt` from the last run
const changed = await linear.issues.context_store_search({
  query: { filter: { gt: { updatedAt: since } }, sort: [{ updatedAt: 'asc' }] },
  fields: ['identifier', 'title', 'updatedAt'],
});
for (const { identifier, updatedAt } of changed.data) console.log(identifier, updatedAt);
console.log(changed.meta.readiness); // whether the results are complete, and as of when
// #endregion

// #region split
const both = new LinearConnector({
  credentials: { api_key: process.env.LINEAR_API_KEY ?? '' },
  hosted: { name: 'Issues' },
});

const { data: teams } = await both.teams.list(); // calls Linear
const found = await both.issues.context_store_search({ query: {} }); // calls the service
console.log(teams.length, found.data.length, found.meta);
// #endregion

// #region connect
const same = service.connect(LinearConnector, { name: 'Issues' });
for await (const issue of same.paginate('issues', 'list', { first: 50 })) {
  if (issue.priority === 1) console.log(issue.title);
}
// #endregion

// #region tools
// The tools call the connector by its name in the service, which is what `search` expects.
const tools = createAgentTools({ Issues: linear }, { searchAll: (search) => service.search(search) });
const answer = await tools.find(({ name }) => name === 'search')?.run({ prompt: 'payments that are made twice' });
console.log(answer?.text);
// #endregion

await service.connectors.delete(id);
