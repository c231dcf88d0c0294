/**
 * Follows a change feed, and appends each page together with its cursor to a file, one line a page.
 * Arguments: <file> <id of the connector>; the client comes from the environment.
 */
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { AgentConnectors } from 'agent-connectors/hosted';

const [path, id] = process.argv.slice(2);
const file = openSync(path, 'a+');
// A line that has no end was not stored.
const whole = readFileSync(path, 'utf8').replace(/[^\n]*$/, '');
ftruncateSync(file, Buffer.byteLength(whole));
let cursor = whole === '' ? undefined : JSON.parse(whole.trimEnd().split('\n').at(-1)).cursor;
const service = new AgentConnectors();
for (;;) {
  try {
    const options = { entity: 'items', cursor, follow: true, intervalMs: 20, limit: 100 };
    for await (const { data, meta } of service.connectors.changes(id, options)) {
      if (data.length === 0) continue;
      const changes = data.map(({ change, id, record }) => [change, id, record?.n ?? null]);
      writeSync(file, `${JSON.stringify({ cursor: meta.cursor, changes })}\n`);
      fsyncSync(file);
      ({ cursor } = meta);
    }
  } catch (error) {
    // The service is being restarted.
    if (!error.retryable && error.code !== 'network') {
      closeSync(file);
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
