// #region pages
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

let urgent = 0;
for await (const issue of linear.paginate('issues', 'list', { first: 100 })) {
  if (issue.priority === 1) urgent += 1;
}

for await (const { data, meta } of linear.paginate('projects', 'list').pages()) {
  console.log(data.length, meta.hasNextPage);
}
// #endregion

console.log(`${urgent} urgent issues`);
