import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { type RunningService, serve } from 'agent-connectors-service';
import { Agent, fetch as undiciFetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { tenantOf } from '../../service/http/setup.js';
import { initialize } from '../../service/mcp/setup.js';
import { newFolder } from '../../service/state/fixtures.js';

/** Differs from the proxy's address. */
const caller = '127.0.0.2';
const host = 'connectors.example.com';
const artefact = (name: string) => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

const isInstalled = (command: string): boolean => {
  try {
    execFileSync(command, [command === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
}

/** Starts each proxy with this repository's configuration, changing only ports and certificates; returns its port. */
const proxies = {
  async nginx(folder: string, servicePort: number) {
    const [port, plainPort] = [await freePort(), await freePort()];
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '1',
        '-subj',
        `/CN=${host}`,
        '-keyout',
        key,
        '-out',
        certificate,
      ],
      { stdio: 'ignore' },
    );
    const site = artefact('nginx.conf')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
      .replace('127.0.0.1:4020', `127.0.0.1:${servicePort}`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join(' ');
    const main = `daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'log')}; events {} http { access_log off; ${temporary} ${site} }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    execFileSync('nginx', ['-t', '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    run('nginx', ['-c', join(folder, 'nginx.conf')]);
    return port;
  },
  async caddy(folder: string, servicePort: number) {
    const [port, plainPort] = [await freePort(), await freePort()];
    const local = `{\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n}\n`;
    const path = join(folder, 'Caddyfile');
    writeFileSync(path, local + artefact('Caddyfile'));
    const env = { PUBLIC_HOST: host, UPSTREAM: `127.0.0.1:${servicePort}`, HOME: folder, XDG_DATA_HOME: folder };
    execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', path], {
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    run('caddy', ['run', '--adapter', 'caddyfile', '--config', path], env);
    return port;
  },
};

/** Sends requests to the proxy under the public host name. */
function browserOf(port: number) {
  const dispatcher = new Agent({
    localAddress: caller,
    connect: {
      rejectUnauthorized: false,
      servername: host,
      lookup: (_name, _options, done) => done(null, '127.0.0.1', 4),
    },
  });
  onTestFinished(() => dispatcher.destroy());
  return (path: string, init: Parameters<typeof undiciFetch>[1] = {}) =>
    undiciFetch(`https://${host}:${port}${path}`, {
      ...init,
      // Without a port, as on the default HTTPS port.
      headers: { ...(init.headers as object), host },
      dispatcher,
    });
}

async function startBehind(open: (folder: string, port: number) => Promise<number>) {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const service: RunningService = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    fetch: sandbox.fetch,
    publicUrl: `https://${host}`,
    trustedProxies: ['127.0.0.1'],
  });
  onTestFinished(() => service.close());
  const ask = browserOf(await open(newFolder(), service.port));
  await expect
    .poll(async () => (await ask('/health').catch(() => undefined))?.status, { interval: 100, timeout: 20_000 })
    .toBe(200);
  return { service, ask, tenant: await tenantOf(service, 'Acme') };
}

test.for(Object.entries(proxies))(
  'the service behind %s signs users in, serves pages, streams, and identifies its callers',
  async ([name, open], { skip }) => {
    if (!isInstalled(name)) return skip(`${name} is not installed`);
    const { service, ask, tenant } = await startBehind(open);
    expect((await ask('/metrics')).status).toBe(403);
    const json = { 'content-type': 'application/json' };

    // Addresses claimed by callers are ignored; the proxy reports the real one.
    const claimed = { ...json, 'x-forwarded-for': '198.51.100.7' };
    const signIn = await ask('/console/session', {
      method: 'POST',
      body: JSON.stringify({ client_id: tenant.clientId, client_secret: tenant.clientSecret }),
      headers: { ...claimed, 'x-console': '1', 'sec-fetch-site': 'same-origin' },
    });
    const [cookie = ''] = signIn.headers.getSetCookie();
    expect([signIn.status, cookie]).toEqual([200, expect.stringContaining('Secure')]);
    const authorization = `Bearer ${tenant.token}`;
    const setup = await ask('/api/v1/integrations/connectors/setup', {
      method: 'POST',
      headers: { ...claimed, authorization },
      body: JSON.stringify({ workspace_name: 'main', name: 'mine', connector_type: 'linear' }),
    });
    const { setup_url } = (await setup.json()) as { setup_url: string };
    expect(setup_url).toMatch(new RegExp(`^https://${host}/setup/`));
    expect(await (await ask(new URL(setup_url).pathname)).text()).toContain('Connect Linear');
    const entries = await service.state.audit.list({ organizationId: tenant.organizationId, limit: 10 });
    expect(
      entries
        .reverse()
        .slice(1)
        .map(({ event, address }) => [event, address]),
    ).toEqual([
      ['sign_in', caller],
      ['setup.begun', caller],
    ]);

    const mcp = await ask('/mcp', {
      method: 'POST',
      body: JSON.stringify(initialize),
      headers: { ...json, authorization, accept: 'application/json, text/event-stream', 'x-workspace': 'main' },
    });
    expect(await mcp.text()).toContain('"serverInfo"');
    const events = await ask('/console/events', {
      headers: { cookie: cookie.split(';')[0]!, 'x-console': '1', 'sec-fetch-site': 'same-origin' },
    });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const reader = events.body!.getReader();
    await tenant.connect('linear');
    // The event arrives while the response is still open.
    for (let text = ''; !text.includes('data: '); ) text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
  },
);
