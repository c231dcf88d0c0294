// #region mistake
import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

try {
  // @ts-expect-error: `frist` is no parameter, which the compiler sees as well
  await linear.issues.list({ frist: 500 });
} catch (error) {
  if (!ConnectorError.is(error)) throw error;
  for (const { path, message } of error.issues ?? []) console.log(path, message);
}
// #endregion
