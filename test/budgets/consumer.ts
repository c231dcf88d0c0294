import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: 'lin_api_key' } });
const { data, meta } = await linear.execute('issues', 'list', { first: 10 });

export const titles: Array<string | null> = data.map(({ title }) => title);
export const more: boolean | null = meta.hasNextPage;
