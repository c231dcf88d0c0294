// #region patience
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

/** For background jobs: waits as long as the vendor requests, if waiting can help. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!ConnectorError.is(error) || !error.retryable || attempt === 5) throw error;
      await pause(error.retryAfterMs ?? 1_000 * 2 ** attempt);
    }
  }
}

const { data } = await patiently(() => linear.issues.list({ first: 5 }));
console.log(data.length);
// #endregion
