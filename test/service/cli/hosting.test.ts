import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaults, optionsFrom } from '../../../service/src/options.js';
import { startTestService } from '../http/setup.js';
import { runToEnd } from './terminal.js';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const folder = 'deploy';
const artefacts = Object.fromEntries(
  [
    'Dockerfile',
    'compose.yaml',
    'Caddyfile',
    'nginx.conf',
    '.env.example',
    'create-database.sh',
    ...['kustomization', 'deployment', 'service', 'ingress', 'network-policy'].map((name) => `kubernetes/${name}.yaml`),
    'kubernetes/secret.env.example',
    ...['prometheus', 'alerts'].map((name) => `prometheus/${name}.yaml`),
    'grafana/dashboard.json',
  ].map((name) => [name, read(`${folder}/${name}`)]),
);
const all = Object.values(artefacts).join('\n');
const matches = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, found]) => found!))];

test('the service supports all options and variables in the hosting files', async () => {
  const { out } = await runToEnd(['--help']);
  const command = matches(artefacts['compose.yaml']!, /"(--[\w-]+)"/g);
  for (const option of [...command, '--max-body-bytes', '--trusted-proxies']) expect(out).toContain(`  ${option} `);
  const variables = matches(all, /\b(AGENT_CONNECTORS_[A-Z_]+)\b/g);
  expect(variables.length).toBeGreaterThan(3);
  const known = out + read('service/README.md');
  for (const variable of [...variables, 'HOST', 'PORT', 'DATABASE_URL']) expect(known).toContain(variable);
});

test("the hosting files' port, paths, limits and version match the service", async () => {
  const ports = matches(all, /(?:EXPOSE |PORT=|containerPort: |(?:127\.0\.0\.1|service):)(\d{4,5})\b/g);
  expect(ports).toEqual([String(defaults.port)]);
  const { ask } = await startTestService();
  const paths = matches(all, /(\/health|\/ready)\b/g);
  expect(paths).toEqual(['/health', '/ready']);
  for (const path of paths) expect((await ask('GET', path)).status).toBe(200);
  const bodies = matches(all, /(?:client_max_body_size|proxy-body-size:) (\d+)m/g);
  expect(bodies.map((size) => Number(size) * 2 ** 20)).toEqual([defaults.maxBodyBytes]);
  const { version } = JSON.parse(read('service/package.json'));
  expect(matches(all, /(?:agent-connectors-service:|newTag: )(\d\S*)/g)).toEqual([version]);
});

test('the image contains all published package files and everything the service needs', () => {
  const copied = matches(artefacts.Dockerfile!, /COPY --from=build \/build\/(\S+)/g);
  const published = JSON.parse(read('service/package.json')).files.filter(
    (name: string) => !['src', 'CHANGELOG.md'].includes(name),
  );
  expect(copied).toEqual(
    expect.arrayContaining([...published.map((name: string) => `service/${name}`), 'bin', 'dist']),
  );
  const node = Number(/^ARG NODE_IMAGE=node:(\d+)-/m.exec(artefacts.Dockerfile!)![1]);
  expect(node).toBeGreaterThanOrEqual(20);
  expect(artefacts.Dockerfile).toMatch(/^USER 1000:1000$/m);
});

test('the service trusts exactly the proxies in the compose file', () => {
  const compose = artefacts['compose.yaml']!;
  expect(/subnet: (\S+)/.exec(compose)![1]).toBe(/"--trusted-proxies", "([^"]+)"/.exec(compose)![1]);
  for (const variable of matches(compose, /\$\{([A-Z_]+):\?\}/g)) {
    expect(artefacts['.env.example']).toMatch(new RegExp(`^${variable}=`, 'm'));
  }
});

test('alerts and the dashboard use metrics that the service exports, and the scraper gets the token if there is one', async () => {
  const { tenant } = await startTestService();
  const { ask, clientId, clientSecret } = await tenant();
  const tokenPath = /token_url: http:\/\/[^/]+(\S+)/.exec(artefacts['prometheus/prometheus.yaml']!)![1]!;
  const raw = new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' });
  const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
  expect((await ask('POST', tokenPath, { raw, headers: { authorization } })).status).toBe(200);
  const { text } = await ask('GET', '/metrics');
  const dashboard = JSON.parse(artefacts['grafana/dashboard.json']!);
  const charted = dashboard.panels.flatMap(({ targets }: { targets: Array<{ expr: string }> }) => targets);
  const expressions = charted.map(({ expr }: { expr: string }) => expr).join('\n');
  for (const source of [artefacts['prometheus/alerts.yaml']!, expressions]) {
    const names = matches(source, /\b(agent_connectors_\w+)/g);
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect(text).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
  }
  const documented = read('docs/guides/hosting.md');
  for (const name of matches(text, /^# TYPE agent_connectors_(\w+) /gm)) expect(documented).toContain(`\`${name}\``);
});

test("the Kubernetes manifests do not start until the operator sets the proxies' network", () => {
  const [, network] = /AGENT_CONNECTORS_TRUSTED_PROXIES=(\S+)/.exec(artefacts['kubernetes/kustomization.yaml']!)!;
  expect(() => optionsFrom({ AGENT_CONNECTORS_TRUSTED_PROXIES: network })).toThrow('AGENT_CONNECTORS_TRUSTED_PROXIES');
  expect(artefacts['kubernetes/deployment.yaml']).toMatch(/^ {4}type: Recreate$/m);
});
