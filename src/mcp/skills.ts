import { type SkillSource, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { SkillDocs } from '../tools/skill-docs.js';
import { bytesOf } from '../tools/tokens.js';
import type { Member } from '../tools/toolset.js';

const markdown = 'text/markdown';
const scheme = 'skill://';
const skillFile = 'SKILL.md';

/** A connector's documentation as a skill. */
interface Skill {
  /** Folder name, which is a valid skill name. */
  readonly name: string;
  readonly title: string;
  readonly entry: Awaited<ReturnType<typeof skillEntry>>;
  readonly files: ReadonlyMap<string, { readonly title: string; readonly text: string }>;
}

/** How long a client may cache lists and documents, in milliseconds. */
export const cacheHint = { ttlMs: 60_000, cacheScope: 'private' as const };

/** Documentation that clients can list and read. */
export interface Skills {
  list(): ReturnType<SkillSource['list']>;
  get(address: string): ReturnType<SkillSource['get']>;
  read(address: string): ReturnType<SkillSource['read']>;
  listResources(): ReturnType<NonNullable<SkillSource['listResources']>>;
}

/** Connector documentation as `skill://<connector>/<section>`, and as skills for clients that support them. */
export function skillsOf(members: readonly Member[]): Skills {
  const names = skillNames(members.map(({ key }) => key));
  const cache = new Map<Member, Promise<Skill>>();
  const skillFor = (member: Member): Promise<Skill> => {
    const found = cache.get(member);
    if (found) return found;
    const skill = member.docs().then((docs) => skillOf(docs, member, names.get(member.key)!));
    cache.set(member, skill);
    skill.catch(() => cache.delete(member));
    return skill;
  };
  const all = () => Promise.all(members.map(skillFor));
  const fileAt = async (address: string) => {
    const [, name, file = ''] = /^skill:\/\/([^/]+)\/([^/?#]+)$/.exec(address) ?? [];
    const member = members.find(({ key }) => names.get(key) === name);
    return member && { skill: await skillFor(member), file: decodeFileName(file) };
  };
  return {
    list: async () => ({ skills: (await all()).map(({ entry }) => entry) }),
    get: async (address) => {
      const found = await fileAt(address);
      return found?.file === skillFile ? found.skill.entry : undefined;
    },
    read: async (address) => {
      const found = await fileAt(address);
      const file = found?.skill.files.get(found.file);
      return file && { text: file.text, mimeType: markdown };
    },
    listResources: async () =>
      (await all()).flatMap(({ name, title, files }) =>
        [...files].map(([file, section]) => ({
          uri: `${scheme}${name}/${file}`,
          name: `${name}/${file}`,
          title: `${title}: ${section.title}`,
          mimeType: markdown,
          size: bytesOf(section.text),
        })),
      ),
  };
}

function decodeFileName(file: string): string {
  try {
    return decodeURIComponent(file);
  } catch {
    return file;
  }
}

async function skillOf(docs: SkillDocs, { fullDescription }: Member, name: string): Promise<Skill> {
  const description = `How to use the ${docs.title}. ${fullDescription.description}`.slice(0, 1_024);
  const about = { name, description, metadata: { version: docs.version, hash: docs.hash } };
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    `metadata:\n  version: ${JSON.stringify(about.metadata.version)}\n  hash: ${JSON.stringify(about.metadata.hash)}`,
  ];
  const files = new Map([
    [skillFile, { title: 'how to use it', text: `---\n${lines.join('\n')}\n---\n\n${docs.overview}\n` }],
    ...docs.outline.map(({ id, title }) => [id, { title, text: docs.section(id).text }] as const),
  ]);
  const texts = Object.fromEntries([...files].map(([file, { text }]) => [file, text]));
  return { name, title: fullDescription.title, files, entry: await skillEntry(name, texts) };
}

/** Unique skill names: lower-case letters, digits and single hyphens. */
function skillNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const key of keys) {
    const slug = key
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60);
    const plain = slug || 'connector';
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}
