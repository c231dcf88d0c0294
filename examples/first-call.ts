// Runs against Linear itself, with a personal API key: LINEAR_API_KEY=lin_api_… It only reads.
// #region first-call
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

const { data, meta } = await linear.execute('issues', 'list', { first: 5 });
for (const issue of data) {
  console.log(`${issue.state?.name}: ${issue.title} (${issue.assignee?.name ?? 'nobody'})`);
}
console.log(meta.hasNextPage ? `next page: ${meta.endCursor}` : 'no more pages');
// #endregion
