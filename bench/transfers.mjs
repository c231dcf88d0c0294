import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './measure.mjs';

/** @typedef {{ seconds: number, memory: number }} Run */

/**
 * One transfer in its own process: seconds, and MiB of memory growth.
 *
 * @param {string} transfer code that returns the number of bytes transferred @param {string} before code that loads the
 * client
 * @param {number} expected @returns {Run}
 */
function runTransfer(transfer, before, expected) {
  const code = `
    ${before}
    const start = process.memoryUsage.rss();
    let peak = start;
    const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 10);
    const started = performance.now();
    const count = await (async () => { ${transfer} })();
    clearInterval(watch);
    console.log(JSON.stringify({ count, seconds: (performance.now() - started) / 1000, memory: (peak - start) / 2 ** 20 }));
    process.exit();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: new URL('..', import.meta.url),
  });
  const { count, seconds, memory } = JSON.parse(String(output));
  if (count !== expected) throw new Error(`${count} of ${expected} bytes were transferred: ${transfer}`);
  return { seconds, memory };
}

/** @param {string} title @param {Record<string, () => Run>} clients @param {number} rounds */
function tableOf(title, clients, rounds) {
  /** @type {Record<string, Run[]>} */
  const runs = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(clients)) runs[name] = [...(runs[name] ?? []), run()];
  }
  const base = Object.values(runs)[0] ?? [];
  const rows = Object.entries(runs).map(([name, all]) => {
    const median = (/** @type {keyof Run} */ what) =>
      quantile(
        all.map((run) => run[what]),
        0.5,
      );
    const speed = quantile(
      all.map(({ seconds }, at) => (base[at]?.seconds ?? Number.NaN) / seconds),
      0.5,
    );
    return `| ${name} | ${median('seconds').toFixed(2)} | ${median('memory').toFixed(0)} | ${speed.toFixed(2)} |`;
  });
  return [
    `### ${title}`,
    '',
    '| Client | Median, s | Additional memory, MiB | Speed relative to `fetch` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const connector = (/** @type {string} */ base) => `
  const { GoogleDriveConnector } = await import('agent-connectors/google-drive');
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'bench-token' }, endpoints: ${JSON.stringify(base)} });
  await drive.files.get({ fileId: 'warm' }).catch(() => {});`;

/** @param {string} origin */
const official = (origin) => `
  const { createRequire } = await import('node:module');
  const { drive: google, auth } = createRequire(process.cwd() + '/test/interop/package.json')('@googleapis/drive');
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: 'bench-token' });
  const drive = google({ version: 'v3', auth: client, rootUrl: ${JSON.stringify(`${origin}/`)} });
  await drive.files.get({ fileId: 'warm' }).catch(() => {});`;

const drain = 'let count = 0; for await (const chunk of stream) count += chunk.length; return count;';

/** @param {string} origin @param {number} rounds */
export function downloadTable(origin, rounds) {
  const base = `${origin}/google-drive`;
  const bytes = JSON.stringify(`${base}/bytes`);
  const size = 2 ** 30;
  const officialDownload = `const { data: stream } = await drive.files.get({ fileId: 'bytes', alt: 'media' }, { responseType: 'stream' }); ${drain}`;
  return tableOf(
    'Google Drive, 1 GiB download',
    {
      'bare `fetch`': () => runTransfer(`const stream = (await fetch(${bytes})).body; ${drain}`, connector(base), size),
      '`@googleapis/drive`': () => runTransfer(officialDownload, official(origin), size),
      '`execute`': () =>
        runTransfer(
          `const stream = (await drive.files.download({ fileId: 'bytes' })).data; ${drain}`,
          connector(base),
          size,
        ),
    },
    rounds,
  );
}

/** @param {string} origin @param {number} rounds */
export function uploadTable(origin, rounds) {
  const base = `${origin}/google-drive`;
  const size = 2 ** 28;
  const folder = mkdtempSync(join(tmpdir(), 'agent-connectors-bench-'));
  const path = join(folder, 'bytes');
  writeFileSync(path, Buffer.alloc(size, 1));
  const blob = `const { openAsBlob, createReadStream } = await import('node:fs'); const path = ${JSON.stringify(path)};`;
  const session = JSON.stringify(`${base}/upload/session`);
  const bare = `const body = await openAsBlob(path); const reply = await fetch(${session}, { method: 'PUT', body }); return Number(reply.headers.get('x-size'));`;
  const theirs = `const reply = await drive.files.create({ requestBody: { name: 'bytes' }, media: { mimeType: 'application/octet-stream', body: createReadStream(path) } }, { rootUrl: ${JSON.stringify(`${origin}/`)} }); return reply.status === 200 ? ${size} : 0;`;
  const ours = `const { data } = await drive.files_upload.create({ name: 'bytes', file_content: await openAsBlob(path), file_mime_type: 'application/octet-stream' }); return data.id === 'file' ? ${size} : 0;`;
  try {
    return tableOf(
      'Google Drive, 256 MiB upload from a file',
      {
        'bare `fetch`, single request': () => runTransfer(bare, connector(base) + blob, size),
        '`@googleapis/drive`, single request': () => runTransfer(theirs, official(origin) + blob, size),
        '`execute`, resumable, 8 MiB chunks': () => runTransfer(ours, connector(base) + blob, size),
      },
      rounds,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
