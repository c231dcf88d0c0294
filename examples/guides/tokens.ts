// #region tokens
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { TokenStore } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';

const file = process.env.TOKENS ?? 'linear-tokens.json';
const credentials = {
  client_id: process.env.LINEAR_CLIENT_ID ?? '',
  client_secret: process.env.LINEAR_CLIENT_SECRET ?? '',
  refresh_token: process.env.LINEAR_REFRESH_TOKEN ?? '',
};

/** Stores tokens in a file shared by programs on one machine; for several machines, use a database row and a lock. */
const tokens: TokenStore = {
  async alone(work) {
    while (
      !(await mkdir(`${file}.lock`).then(
        () => true,
        () => false,
      ))
    )
      await pause(50);
    try {
      return await work();
    } finally {
      await rmdir(`${file}.lock`);
    }
  },
  load: () => readFile(file, 'utf8').then(JSON.parse, () => undefined),
  async save(renewed) {
    await writeFile(`${file}.new`, JSON.stringify(renewed), { mode: 0o600 });
    await rename(`${file}.new`, file);
  },
};

const linear = new LinearConnector({ credentials, tokens });
// #endregion

const { data } = await linear.teams.list();
console.log(data.length);
