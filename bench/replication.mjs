// CPU time of a first sync of Linear's issues, of storing records, and of importing a connector, and the memory of a
// service at rest, next to an older build:
//   node bench/replication.mjs [--old <folder of an older checkout, built>] [--loads sync,ingest,import,rest]
//     [--records 6000] [--rounds 5] [--node <another node>]
// Builds take turns, each measurement in its own process; a ratio is the median over rounds of new ÷ old.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { quantile } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    loads: { type: 'string', default: 'sync,ingest,import,rest' },
    records: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', default: process.execPath },
  },
});
const records = Number(options.records);
const roots = { new: fileURLToPath(new URL('..', import.meta.url)), ...(options.old && { old: options.old }) };

async function start(script, words, execPath = process.execPath) {
  const child = fork(new URL(script, import.meta.url), words, { execPath });
  const [message] = await once(child, 'message');
  return { child, message };
}

const { child: vendorProcess, message: vendor } = await start('replication-vendor.mjs', [String(records)]);
const units = {
  sync: 'µs of CPU time an issue',
  ingest: 'µs of CPU time a record',
  import: 'ms of CPU time',
  rest: 'MiB resident',
};
const median = (values) => quantile(values, 0.5);
console.log(
  options.old ? '| Path | New | Old | New ÷ old | Quartiles |\n|---|--:|--:|--:|---|' : '| Path | New |\n|---|--:|',
);
for (const load of options.loads.split(',')) {
  const values = { new: [], old: [] };
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, root] of Object.entries(roots)) {
      const words = [JSON.stringify({ root, load, vendor, records })];
      const { child, message } = await start('replication-host.mjs', words, options.node);
      if (child.exitCode === null) await once(child, 'exit');
      values[name].push(message);
    }
  }
  const ratios = values.old.map((value, round) => values.new[round] / value);
  const cells = Object.keys(roots).map((name) => median(values[name]).toFixed(0));
  if (options.old) {
    const spread = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2)).join('–');
    cells.push(median(ratios).toFixed(2), spread);
  }
  console.log(`| ${load}, ${units[load]} | ${cells.join(' | ')} |`);
}
vendorProcess.disconnect();
