import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bytesIn, newFolder, newState } from '../state/fixtures.js';
import { type Run, runToEnd, start } from './terminal.js';

/** A loopback server, closed after the test. */
async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Waits until the service prints its address. */
async function ready(running: Run): Promise<string> {
  await expect.poll(() => running.out + running.error, { interval: 10 }).toMatch(/listen|\n/);
  expect(running.error).toBe('');
  return /http:\/\/127\.0\.0\.1:\d+/.exec(running.out)![0];
}

const lines = ({ out }: Run) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the first start', () => {
  it('without a terminal logs JSON and writes the secret to a private file', async () => {
    const data = join(newFolder(), 'data');
    const running = start(['--data', data, '--create-key', '--port', '0']);
    const url = await ready(running);
    const path = join(data, 'client.json');
    const [listening, signIn] = lines(running);
    expect(listening).toMatchObject({ msg: 'listening', url, console: `${url}/console`, client_file: path });
    expect(signIn!.msg).toContain('sign in to the console with client_id and client_secret in client_file');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { client_id, client_secret, workspace } = JSON.parse(readFileSync(path, 'utf8'));
    expect(workspace).toBe('default');
    const answer = await fetch(`${url}/api/v1/account/applications/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id, client_secret }),
    });
    expect(answer.status).toBe(200);
    const { access_token } = (await answer.json()) as { access_token: string };
    running.signal();
    expect(await running.exit).toBe(0);
    for (const secret of [client_secret, access_token, readFileSync(join(data, 'key'), 'utf8').trim()]) {
      expect(running.out).not.toContain(secret);
    }
    expect(bytesIn(data).split(client_secret)).toHaveLength(2);
  });

  it('on a terminal also prints the secret, and the next start does not create another client', async () => {
    const data = join(newFolder(), 'data');
    const given = ['--data', data, '--create-key', '--port', '0'];
    const first = start(given, { interactive: true });
    await ready(first);
    first.signal();
    expect(await first.exit).toBe(0);
    const path = join(data, 'client.json');
    const { client_secret } = JSON.parse(readFileSync(path, 'utf8'));
    expect(client_secret).toMatch(/^acs_[0-9A-Za-z]{49}$/);
    expect(first.out).toMatch(/First start.*client_secret +acs_.*is listening on http/s);
    expect(first.out).toContain(client_secret);
    expect(first.out).toContain(`${path} also contains its secret: delete the file when you no longer need it.`);
    const second = start(given, { interactive: true });
    await ready(second);
    expect(second.out).toMatch(/^agent-connectors-service is listening on http/);
    second.signal();
    await second.exit;
  });

  it('that cannot write the secret does not create a client, and can be retried', async () => {
    const data = join(newFolder(), 'data');
    const given = ['--data', data, '--create-key', '--port', '0'];
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'client.json'), 'kept');
    const refused = await runToEnd(given);
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('client.json already')]);
    expect((await runToEnd(['list-clients', '--data', data])).out).toBe('');
    rmSync(join(data, 'client.json'));
    const again = start(given);
    await ready(again);
    expect(lines(again)[0]).toMatchObject({ client_file: join(data, 'client.json') });
    again.signal();
    await again.exit;
  });

  it('is not repeated after the last client is deleted', async () => {
    const data = join(newFolder(), 'data');
    const given = ['--data', data, '--create-key', '--port', '0'];
    const first = start(given);
    await ready(first);
    first.signal();
    await first.exit;
    rmSync(join(data, 'client.json'));
    const [client] = JSON.parse((await runToEnd(['list-clients', '--data', data, '--json'])).out);
    await runToEnd(['delete-client', client.id, '--data', data]);
    const second = start(given);
    await ready(second);
    second.signal();
    await second.exit;
    expect((await runToEnd(['list-clients', '--data', data])).out).toBe('');
    expect(existsSync(join(data, 'client.json'))).toBe(false);
  });

  it('fails without a key and leaves nothing behind', async () => {
    const data = join(newFolder(), 'data');
    const { code, out, error } = await runToEnd(['--data', data, '--port', '0']);
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/AGENT_CONNECTORS_KEY.*--create-key/);
    expect(existsSync(data)).toBe(false);
  });

  it('requires neither a key nor a folder with --dev', async () => {
    const running = start(['--dev', '--port', '0']);
    await ready(running);
    const path = lines(running)[0]!.client_file as string;
    expect(JSON.parse(readFileSync(path, 'utf8')).client_secret).toMatch(/^acs_/);
    running.signal();
    expect(await running.exit).toBe(0);
    expect(existsSync(path)).toBe(false);
  });
});

describe('starting', () => {
  it('reports a port in use without changing the data', async () => {
    const data = join(newFolder(), 'data');
    const port = await listening(() => {});
    const { code, out, error } = await runToEnd(['--data', data, '--create-key', '--port', String(port)]);
    expect([code, out]).toEqual([1, '']);
    expect(error).toBe(`Port ${port} on 127.0.0.1 is in use: choose another with --port.\n`);
    await (await newState({ folder: data, keys: [readFileSync(join(data, 'key'), 'utf8').trim()] })).ping();
  });
});

describe('stopping', () => {
  /** A service with a request that is waiting for the vendor. */
  async function busy(answer: RequestListener) {
    let asked: () => void = () => {};
    const vendorAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const port = await listening((request, response) => {
      asked();
      answer(request, response);
    });
    // Replication would call the vendor before the request does.
    const running = start(['--dev', '--port', '0', '--no-replication'], {
      environment: { AGENT_CONNECTORS_ENDPOINTS: JSON.stringify({ granola: `http://127.0.0.1:${port}` }) },
    });
    const url = `${await ready(running)}/api/v1`;
    const { client_id, client_secret } = JSON.parse(readFileSync(lines(running)[0]!.client_file as string, 'utf8'));
    const post = async (path: string, body: object, token = '') => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, connection: 'close' };
      const answered = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answered.status, body: (await answered.json()) as Record<string, any> };
    };
    const { access_token } = (await post('/account/applications/token', { client_id, client_secret })).body;
    const connector = await post(
      '/integrations/connectors',
      { workspace_name: 'default', connector_type: 'granola', credentials: { api_key: 'grn_canary_key' } },
      access_token,
    );
    expect(connector).toMatchObject({ status: 200 });
    const path = `/integrations/connectors/${connector.body.id}/execute`;
    const reply = post(path, { entity: 'notes', action: 'list' }, access_token);
    await vendorAsked;
    return { running, reply, url };
  }

  it('accepts no more requests and finishes those in progress', async () => {
    let release = () => {};
    const { running, reply, url } = await busy((_, response) => {
      release = () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ notes: [], hasMore: false, cursor: null }));
      };
    });
    running.signal();
    // No response can arrive before shutdown starts.
    await expect.poll(() => running.out).toContain('"stopping"');
    release();
    expect(await reply).toMatchObject({ status: 200, body: { status: 'success' } });
    expect(await running.exit).toBe(0);
    await expect(fetch(`${url}/account/me`)).rejects.toThrow();
    expect(running.out).not.toContain('grn_canary_key');
    expect(running.error).toBe('');
  });

  it('exits immediately on a second signal', async () => {
    const { running, reply } = await busy(() => {});
    reply.catch(() => {});
    running.signal();
    running.signal();
    // A shutdown that waited for the request would exit with 0.
    expect(await running.exit).toBe(1);
  });
});
