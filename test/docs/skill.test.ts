import { connectors } from 'agent-connectors';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { textOf } from './pages.js';

const skill = textOf('skills/agent-connectors/SKILL.md');
const classOf = (name: string) => connectors[name as keyof typeof connectors]();

test('is short and has the frontmatter that skill installers read', () => {
  const [, header = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? [];
  const fields = Object.fromEntries(header.split('\n').map((line) => /^(\w+): (.+)$/.exec(line)?.slice(1) ?? []));
  // https://agentskills.io/specification
  expect(fields.name).toBe('agent-connectors');
  expect(fields.description?.length).toBeLessThanOrEqual(1024);
  expect(fields.compatibility?.length).toBeLessThanOrEqual(500);
  expect(skill.split('\n').length).toBeLessThan(500);
});

test('names every connector with its class and its entities', async () => {
  const rows = [...skill.matchAll(/^\| `([\w-]+)` \| `(\w+Connector)` \| (.+) \|$/gm)].map(([, ...cells]) => cells);
  const wanted = Object.entries(connectors).map(async ([name, load]) => {
    const Class = await load();
    const { entities } = Class.describe();
    return [name, Class.name, entities.map((entity) => entity.name).join(', ')];
  });
  expect(rows.sort()).toEqual((await Promise.all(wanted)).sort());
});

test('names the environment variables that the command line reads for credentials', async () => {
  const rows = [...skill.matchAll(/^\| `([\w-]+)` \| ((?:`[A-Z_]+`.*)) \|$/gm)].map(([, ...cells]) => cells);
  expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(connectors).sort());
  const commandLine = textOf('docs/cli.md');
  for (const [, variables = ''] of rows) {
    for (const [, variable] of variables.matchAll(/`([A-Z_]+)`/g)) expect(commandLine).toContain(`\`${variable}\``);
  }
});

const calls = [...skill.matchAll(/^npx agent-connectors connectors (describe|execute) --local '(.+)'$/gm)].map(
  ([, command, argument]) => [command!, JSON.parse(argument!.replaceAll("'\\''", "'"))] as const,
);

test.each(calls)('its command works: %s %j', async (command, call) => {
  const { vendors, fetch } = createSandbox({ seed: 1 });
  const Class: any = await classOf(call.name);
  if (command === 'describe') {
    const entity = Class.describe().entities.find(({ name }: { name: string }) => name === (call.entity ?? 'issues'));
    expect(entity.actions.map(({ name }: { name: string }) => name)).toContain(call.action ?? 'list');
    return;
  }
  const credentials = {
    linear: vendors.linear.credentials.api_key,
    'google-drive': vendors['google-drive'].credentials.access_token,
    gong: vendors.gong.credentials.basic,
    'google-analytics': vendors['google-analytics'].credentials.service_account,
    granola: vendors.granola.credentials.api_key,
  }[call.name as string];
  const params = { ...call.params };
  if (params.property_id) params.property_id = vendors['google-analytics'].properties.website;
  const options = call.select_fields && { selectFields: call.select_fields };
  const { data } = await new Class({ credentials, fetch }).execute(call.entity, call.action, params, options);
  expect((data.rows ?? data).length).toBeGreaterThan(0);
});
