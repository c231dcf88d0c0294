// #region errors
import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

try {
  await linear.issues.get({ id: 'ENG-99999' });
} catch (error) {
  if (!ConnectorError.is(error)) throw error;
  console.log(error.code); // 'not_found': one of a fixed list
  console.log(error.message); // what happened, in a sentence
  console.log(error.hint); // how to fix it
  console.log(error.retryable, error.retryAfterMs); // whether and when to retry
  console.log(error.vendor); // the vendor's message, with its request id
}
// #endregion
