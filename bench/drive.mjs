import { execFileSync } from 'node:child_process';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { quantile, table, time } from './measure.mjs';

const gibibyte = 2 ** 30;

/**
 * One page of 50 files, through every client.
 *
 * @param {string} base @param {string} access_token @param {any} googleapis
 */
export async function driveTable(base, access_token, { drive: google, auth }) {
  let address = '';
  /** @type {Record<string, string>} */
  let headers = {};
  const drive = new GoogleDriveConnector({ credentials: { access_token }, endpoints: base });
  const watched = new GoogleDriveConnector({
    credentials: { access_token },
    endpoints: base,
    fetch: (input, init) => {
      address = String(input);
      headers = /** @type {Record<string, string>} */ (init?.headers);
      return fetch(input, init);
    },
  });
  await watched.files.list({ pageSize: 50 });
  const fields = new URL(address).searchParams.get('fields');
  const client = new auth.OAuth2();
  client.setCredentials({ access_token });
  const official = google({ version: 'v3', auth: client, rootUrl: `${base}/` });
  const clients = {
    'bare `fetch`': async () => (await (await fetch(address, { headers })).json()).files.length,
    '`@googleapis/drive`': async () =>
      (await official.files.list({ pageSize: 50, fields, supportsAllDrives: true })).data.files.length,
    '`execute`': async () => (await drive.files.list({ pageSize: 50 })).data.length,
  };
  return table('Google Drive, 50 files with all fields, one call after the other', await time(clients, 600, 1));
}

/**
 * A gibibyte through one client in a process of its own: seconds, and mebibytes of memory above the start.
 *
 * @param {string} base @param {'fetch' | 'execute'} how
 */
function gibibyteThrough(base, how) {
  const code = `
    const { GoogleDriveConnector } = await import('agent-connectors/google-drive');
    const drive = new GoogleDriveConnector({ credentials: { access_token: 'bench-token' }, endpoints: ${JSON.stringify(base)} });
    await drive.files.get({ fileId: 'warm' }).catch(() => {});
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 10);
    const started = performance.now();
    const stream = ${how === 'fetch' ? `(await fetch(${JSON.stringify(`${base}/bytes`)})).body` : `(await drive.files.download({ fileId: 'bytes' })).data`};
    let count = 0;
    for await (const chunk of stream) count += chunk.length;
    clearInterval(watch);
    console.log(JSON.stringify({ count, seconds: (performance.now() - started) / 1000, memory: (peak - before) / 2 ** 20 }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: new URL('..', import.meta.url),
  });
  const { count, seconds, memory } = JSON.parse(String(output));
  if (count !== gibibyte) throw new Error(`${how} got ${count} bytes.`);
  return { seconds, memory };
}

/** @param {string} base @param {number} rounds */
export function downloadTable(base, rounds) {
  /** @type {Record<'fetch' | 'execute', Array<{ seconds: number, memory: number }>>} */
  const runs = { fetch: [], execute: [] };
  for (let round = 0; round < rounds; round++) {
    runs.fetch.push(gibibyteThrough(base, 'fetch'));
    runs.execute.push(gibibyteThrough(base, 'execute'));
  }
  const speed = quantile(
    runs.execute.map(({ seconds }, at) => (runs.fetch[at]?.seconds ?? Number.NaN) / seconds),
    0.5,
  );
  const rows = Object.entries(runs).map(([how, all]) => {
    const median = (/** @type {'seconds' | 'memory'} */ what) =>
      quantile(
        all.map((run) => run[what]),
        0.5,
      );
    return `| ${how === 'fetch' ? 'bare `fetch`' : '`execute`'} | ${median('seconds').toFixed(2)} | ${median('memory').toFixed(0)} | ${how === 'fetch' ? '1.00' : speed.toFixed(2)} |`;
  });
  return [
    '### Google Drive, a download of 1 GiB',
    '',
    '| Client | Median, s | Memory above the start, MiB | Speed against `fetch` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
