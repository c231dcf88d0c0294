import { connectors } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { type Documented, skillDocs } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

describe.each(Object.entries(connectors))('the docs of %s', (name, load) => {
  const made = async () => skillDocs(new (await load())() as Documented);

  test('stay within 600 tokens for the outline and 700 for each section', async () => {
    const docs = await made();
    const outline = tokensIn(JSON.stringify(docs.outline));
    const sections = docs.outline.map(({ id }) => [tokensIn(docs.section(id).text), id] as const);
    const [most, longest] = [...sections].sort(([one], [other]) => other - one)[0]!;
    const overview = tokensIn(docs.overview);
    console.log(
      `measured: ${name} docs: outline ${outline}, overview ${overview}, longest section ${most} (${longest}) tokens`,
    );
    expect(outline).toBeLessThan(600);
    expect(overview).toBeLessThan(700);
    expect(sections.filter(([tokens]) => tokens >= 700)).toEqual([]);
  });

  test('keep the explanations of parameters in the sections that tools return', async () => {
    const { docs } = toolsOf({ [name]: new (await load())() as any, other: shelf(() => ({ data: [] })).connector });
    for (const { name: entity, actions } of (await load()).describe().entities) {
      for (const { name: action, hosted_only, params } of actions) {
        if (hosted_only || !JSON.stringify(params).includes('"description"')) continue;
        const { text } = await docs.run({ connector: name, section: `actions.${entity}.${action}` });
        expect(text).toMatch(/^\| \w.*\| [^|]*\w[^|]* \|$/m);
      }
    }
  });

  test('have a section for each action, with its parameters and an example', async () => {
    const docs = await made();
    expect(docs.id).toBe(`${name}-connector-docs`);
    for (const { name: entity, actions } of (await load()).describe().entities) {
      for (const action of actions) {
        const { id, text } = docs.section(`actions.${entity}.${action.name}`);
        expect(id).toBe(`actions.${entity}.${action.name}`);
        for (const parameter of Object.keys(action.params.properties ?? {}))
          expect(text).toContain(action.hosted_only ? parameter : `| ${parameter} |`);
        expect(text).toContain(JSON.stringify({ entity, action: action.name, params: action.example }));
      }
    }
  });

  test('contain everything in the guide', async () => {
    const docs = await made();
    const guide = await new (await load())().guide();
    const all = [docs.overview, ...docs.outline.map(({ id }) => docs.section(id).text)].join('\n');
    const paragraphs = guide.split('\n').filter((line) => line && !line.startsWith('#'));
    expect(paragraphs.length).toBeGreaterThan(5);
    expect(paragraphs.filter((paragraph) => !all.includes(paragraph))).toEqual([]);
  });
});

const linear = () => skillDocs(new LinearConnector());

test('a conditions object is shown with its fields, operators and an example', async () => {
  const docs = await linear();
  const { text } = docs.section('actions.issues.list');
  const row = text.split('\n').find((line) => line.startsWith('| filter |'))!;
  expect(row).toMatch(/^\| filter \| object \{id, number, title, .*state \{id, name, type\}, .*and, or\}/);
  expect(row).toContain('{"state":{"name":{"eq":"Todo"}}}');
  expect(row).toMatch(/Operators: eq, neq, in, .*containsIgnoreCase/);
  const projects = docs.section('actions.projects.list').text;
  expect(projects).toContain('{"status":{"type":{"eq":"started"}}}');
});

test('a page size chosen by the tools is the only default shown', async () => {
  const [row] = /\| first \|.*/.exec(
    (await toolsOf(new LinearConnector()).docs.run({ section: 'actions.issues.list' })).text,
  )!;
  expect(row).toContain('= 25 here');
  expect(row).not.toContain('default');
});

test('a section has types, limits, required parameters, fields and meta', async () => {
  const docs = await linear();
  expect(docs.section('actions.issues.list').text).toContain('| first | integer 1–250 |');
  expect(docs.section('actions.issues.list').text).toContain('state {id, name, type}');
  expect(docs.section('actions.issues.list').text).toContain('meta: hasNextPage');
  expect(docs.section('actions.issues.create').text).toContain('| title | string, required |');
  expect(docs.section('actions.projects.create').text).toContain('"planned" / ');
  const search = docs.section('actions.issues.context_store_search').text;
  for (const part of ['fuzzy', 'by meaning (semantic) covers description', 'assigneeId'])
    expect(search).toContain(part);
  expect(search).toContain('{semantic: {field?, prompt, filter?, context_size?, dedup?, mode?}, limit? = 10, fields?}');
  expect(docs.section('search').text).toMatch(/limit is 1 to 10000, semantic 1 to 100.*meta: has_more; cursor; total/s);
  expect(search).toContain('"filter":{"keyword":{"title":"invoice"}},"sort":[{"updatedAt":"desc"}]');
});

test('an authentication method with one secret describes it only once', async () => {
  const { text } = (await linear()).section('auth');
  expect(text.split('starts with lin_api_')).toHaveLength(2);
});

test('the documented page size is the one its reader gets: 25 records through the tools', async () => {
  const section = 'actions.issues.context_store_search';
  expect((await linear()).section(section).text).toContain('limit? = 1000');
  const { docs, execute } = toolsOf(new LinearConnector({ credentials: { api_key: 'x' } }));
  expect((await docs.run({ section: 'actions.issues.list' })).text).toContain('| first | integer 1–250, = 25 here |');
  const { text } = await execute.run({ entity: 'issues', action: 'list', params: { frist: 1 } });
  expect(text).toContain('| first | integer 1–250, = 25 here |');
});

test.each([
  ['issues.list', 'actions.issues.list'],
  ['Actions.Issues.List', 'actions.issues.list'],
  [' `actions.issues.list` ', 'actions.issues.list'],
  ['AUTH', 'auth'],
])('%s is found', async (asked, id) => {
  expect((await linear()).section(asked).id).toBe(id);
});

test.each([
  ['issues.lst', "Did you mean 'actions.issues.list'?"],
  ['issue.list', "Did you mean 'actions.issues.list'?"],
  ['issues', 'Valid sections: actions.issues.list, actions.issues.get'],
  ['limit', "Did you mean 'limits'?"],
  ['constructor', "Unknown section 'constructor'."],
])('%s is not found, and something similar is suggested', async (asked, answer) => {
  const { id, text } = (await linear()).section(asked);
  expect(id).toBeNull();
  expect(text).toContain(answer);
});

test('the hash covers everything, and is the same every time', async () => {
  const description = LinearConnector.describe();
  const [one, again, other] = await Promise.all([
    skillDocs(description, '# A\n\n## Limits\n\nMany.'),
    skillDocs(description, '# A\n\n## Limits\n\nMany.'),
    skillDocs(description, '# A\n\n## Limits\n\nFew.'),
  ]);
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(again.hash).toBe(one.hash);
  expect(other.hash).not.toBe(one.hash);
});

test("a guide's headings are sorted into sections, or become sections of their own", async () => {
  const guide =
    '# T\n\nIntro.\n\n## Workflow\n\nFirst.\n\n## Credentials\n\nKeys.\n\n## Odd ways\n\n```\n## no heading\n```';
  const docs = await skillDocs(LinearConnector.describe(), guide);
  expect(docs.overview).toMatch(/Intro\.\n\nFirst\./);
  expect(docs.section('auth').text).toContain('Keys.');
  expect(docs.section('odd-ways').text).toContain('## no heading');
  expect(docs.outline.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['auth', 'search', 'errors', 'limits', 'odd-ways']),
  );
});

test('the tool reads the outline or a section, and reports a missing one', async () => {
  const { docs } = toolsOf(new LinearConnector());
  expect((await docs.run({})).text).toContain('- issues (Issues in all visible teams): list, get');
  expect(await docs.run({ section: 'issues.list' })).toMatchObject({
    isError: false,
    data: { metadata: { id: 'linear-connector-docs' }, section_id: 'actions.issues.list' },
  });
  expect(await docs.run({ section: 'issues.lust' })).toMatchObject({ isError: true, data: { section_id: null } });
});

test('the tool does not mention denied actions', async () => {
  const { docs } = toolsOf(shelf(() => null).connector, { readOnly: true });
  expect((await docs.run({})).text).toContain('- things (Things): list, get, download, peek, context_store_search');
  expect((await docs.run({ section: 'things.delete' })).isError).toBe(true);
});
