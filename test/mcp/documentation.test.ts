import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { connectorsOn, tokensIn } from '../tools/setup.js';
import { allConnectors, connectClient, eras, textOf } from './setup.js';

describe('documentation', () => {
  test('can be listed and read as resources, with the same contents that the tool returns', async () => {
    const client = await connectClient(await allConnectors());
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('skill://linear/actions.issues.list');
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length);
    for (const { uri, size } of resources) {
      const { contents } = await client.readResource({ uri });
      const [content] = contents as Array<{ text: string; mimeType: string }>;
      expect(content!.mimeType).toBe('text/markdown');
      expect(Buffer.byteLength(content!.text), uri).toBe(size);
      expect(tokensIn(content!.text), uri).toBeLessThan(800);
    }
    const read = await client.readResource({ uri: 'skill://gong/limits' });
    const asked = await client.callTool({
      name: 'read_skill_docs',
      arguments: { connector: 'gong', section: 'limits' },
    });
    expect((read.contents[0] as { text: string }).text).toBe(textOf(asked));
    await expect(client.readResource({ uri: 'skill://linear/actions.issues.burn' })).rejects.toThrow();
    await expect(client.readResource({ uri: 'skill://nobody/limits' })).rejects.toThrow();
    console.log(`measured: documentation of five connectors: ${resources.length} resources`);
  });

  test.each(eras)('is served as skills with verifiable files, in the %s era', async (era) => {
    const { linear, granola } = connectorsOn();
    const client = await connectClient({ Our_Issues: linear, 'our-issues': linear, __: linear, granola }, {}, era);
    const skills = new SkillsClient(client);
    expect(skills.supported).toBe(true);
    const listed = await skills.list();
    expect(listed.skills.map(({ uri }) => uri.slice(8, -9))).toEqual([
      'our-issues',
      'connector',
      'granola',
      'our-issues-2',
    ]);
    for (const skill of listed.skills) {
      const manifest = await skills.read(skill);
      expect(manifest).toMatchObject({ verified: true, frontmatter: { name: skill.frontmatter.name } });
      expect((skill.resources as unknown[]).length).toBeGreaterThan(5);
      const files = skill.resources as Array<{ uri: string }>;
      for (const { uri } of files.slice(0, 4)) expect((await skills.read(skill, uri)).verified).toBe(true);
    }
    await client.close();
  });
});

describe('prompts', () => {
  const args: Record<string, Record<string, string>> = {
    find: { what: 'the "Q3" plan' },
    recent: { connector: 'linear', entity: 'issues', since: '2026-01-01' },
    summarise: { connector: 'linear', entity: 'issues', id: 'ENG-1' },
    prepare_change: { what: 'close ENG-1' },
  };

  test('cover common tasks, and include changes only if they are allowed', async () => {
    const { linear, granola } = connectorsOn();
    const reading = await connectClient({ linear, granola });
    const writing = await connectClient({ linear, granola }, { allowWrites: true });
    const names = (await writing.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(['what_is_here', 'find', 'recent', 'summarise', 'prepare_change']);
    expect((await reading.listPrompts()).prompts.map(({ name }) => name)).toEqual(names.slice(0, -1));
    for (const name of names) {
      const { messages } = await writing.getPrompt({ name, arguments: args[name] ?? {} });
      const { text } = messages[0]!.content as { text: string };
      expect(text).toMatch(/inspect_connector|read_skill_docs/);
      for (const value of Object.values(args[name] ?? {})) expect(text).toContain(JSON.stringify(value));
    }
    await expect(writing.getPrompt({ name: 'find', arguments: {} })).rejects.toThrow('what');
  });

  test('complete connector and entity names', async () => {
    const { linear, granola } = connectorsOn();
    const client = await connectClient({ linear, granola });
    const complete = async (name: string, value: string, given?: Record<string, string>) =>
      (
        await client.complete({
          ref: { type: 'ref/prompt', name: 'recent' },
          argument: { name, value },
          ...(given && { context: { arguments: given } }),
        })
      ).completion.values;
    expect(await complete('connector', 'l')).toEqual(['linear']);
    expect(await complete('entity', '', { connector: 'granola' })).toEqual(['notes']);
    expect(await complete('entity', 'iss')).toContain('issues');
  });
});

test('searches are offered only if a service runs them', async () => {
  const { linear: local, sandbox } = connectorsOn();
  const { fetch, vendors } = sandbox;
  const credentials = vendors.linear.credentials.api_key;
  const hosted = { baseUrl: 'https://service.test', clientId: 'a', clientSecret: 'b', connectorId: 'c' };
  const mixed = new LinearConnector({ fetch, credentials, hosted });
  for (const [connector, offered] of [
    [local, false],
    [mixed, true],
  ] as const) {
    const client = await connectClient(connector);
    const { resources } = await client.listResources();
    const texts = await Promise.all(
      ['skill://linear/SKILL.md', 'skill://linear/search'].map(async (uri) => client.readResource({ uri })),
    );
    const all = JSON.stringify([await client.listTools(), resources, texts]);
    expect(all.includes('context_store_search')).toBe(offered);
  }
  const client = await connectClient(local);
  const search = { entity: 'issues', action: 'context_store_search', params: { query: {} } };
  expect(textOf(await client.callTool({ name: 'execute', arguments: search }))).toContain('hosted_only');
});
