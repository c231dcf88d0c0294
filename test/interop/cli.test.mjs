import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../sandbox/bin/agent-connectors-sandbox.js', import.meta.url));

const running = new Set();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

function start(...given) {
  const child = spawn(process.execPath, [command, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text;
  });
  return { child, output };
}

describe('the command', () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    it(`prints addresses and credentials as JSON, responds, and stops on ${signal}`, async () => {
      const { child, output } = start('--port', '0', '--json', '--scale', '0.1', '--seed', '4');
      await once(child.stdout, 'data');
      const { vendors, url } = JSON.parse(output.out);
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      const response = await fetch(`${vendors.linear.url}/graphql`, {
        method: 'POST',
        headers: { authorization: vendors.linear.credentials.api_key.api_key, 'content-type': 'application/json' },
        body: '{"query":"{ issues(first: 250, includeArchived: true) { nodes { id } } }"}',
      });
      assert.equal((await response.json()).data.issues.nodes.length, 30);
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
  }

  it('prints where people find addresses and credentials', async () => {
    const { child, output } = start('--port', '0', '--latency', '5', '--chaos', '0.5');
    await once(child.stdout, 'data');
    const url = /^Sandbox listening on (http:\/\/127\.0\.0\.1:\d+),/.exec(output.out)?.[1];
    const listing = await (await fetch(url)).text();
    assert.match(listing, /linear: http:\/\/127\.0\.0\.1:\d+\/linear\n {2}api_key\n {4}api_key +lin_api_/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('has help, and rejects unknown arguments', async () => {
    const help = start('--help');
    assert.deepEqual(await once(help.child, 'close'), [0, null]);
    for (const option of ['--port', '--seed', '--scale', '--latency', '--chaos', '--drive-folder', '--json']) {
      assert.ok(help.output.out.includes(option), option);
    }
    for (const given of [['--speed'], ['--port', 'many'], ['--chaos', '2'], ['--drive-folder', '/no/such/folder']]) {
      const wrong = start(...given);
      assert.deepEqual(await once(wrong.child, 'close'), [1, null]);
      assert.match(wrong.output.err, /Try --help/);
    }
  });
});
