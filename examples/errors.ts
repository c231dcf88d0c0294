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
  console.log(error.hint); // what to do about it
  console.log(error.retryable, error.retryAfterMs); // whether and when to try again
  console.log(error.vendor); // what the vendor said, with its request id
}
// #endregion
