import { quoted, suggestion } from '../errors/nearest.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import { actionSection, type Shown, sectionBytes } from './action-section.js';
import { authSection, errorsSection, limitsSection, relationsSection, searchSection } from './general-sections.js';
import { firstThatFits } from './tokens.js';

/** A section. */
export interface SectionTitle {
  /** Id of the section. */
  readonly id: string;
  /** Title of the section. */
  readonly title: string;
}

/** A section; if none has this name, `id` is null and the text lists the available ones. */
export interface SkillSection {
  /** Id of the section; null if there is none. */
  readonly id: string | null;
  /** Markdown. */
  readonly text: string;
}

/** A connector's documentation for agents, divided into sections. */
export interface SkillDocs {
  /** Id of the documentation. */
  readonly id: string;
  /** Its title. */
  readonly title: string;
  /** Version of the connector. */
  readonly version: string;
  /** SHA-256 of the whole documentation in hex, so that a client can pin it. */
  readonly hash: string;
  /** Available sections. */
  readonly outline: readonly SectionTitle[];
  /** Introduction and outline. */
  readonly overview: string;
  /** A section by id. */
  section(id: string): SkillSection;
}

/** What is documented: a connector, or its description. */
export type Documented =
  | ConnectorDescription
  | {
      /** Describes the connector as plain JSON. */
      describe(): ConnectorDescription;
      /** Its guide, in Markdown. */
      guide?(): Promise<string>;
    };

/** Guide headings that belong to a section with another name; `''` is the overview. */
const sectionByHeading: Readonly<Record<string, string>> = {
  workflow: '',
  credentials: 'auth',
  limits: 'limits',
  search: 'search',
  searching: 'search',
  errors: 'errors',
};

/** Builds a connector's documentation for agents from its description and guide. */
export async function skillDocs(documented: Documented, guide?: string): Promise<SkillDocs> {
  const isConnector = 'describe' in documented;
  const description = isConnector ? documented.describe() : documented;
  return docsOf(description, guide ?? (isConnector ? await documented.guide?.() : undefined) ?? '', { inTools: false });
}

/** The documentation as shown in tools, with their defaults; examples name the connector if calls require it. */
export const toolDocs = (
  description: ConnectorDescription,
  guide: string,
  connector: string | undefined,
): Promise<SkillDocs> => docsOf(description, guide, { inTools: true, connector });

async function docsOf(description: ConnectorDescription, guide: string, shown: Shown): Promise<SkillDocs> {
  const read = readGuide(guide);
  const id = `${description.name}-connector-docs`;
  const title = `${description.title} connector`;
  const { version } = description;
  const sections = sectionsOf(description, read, shown);
  const overview = overviewOf(description, read, sections);
  const outline = [...sections].map(([name, section]) => ({ id: name, title: section.title }));
  // The hash is the same wherever the documentation is read, regardless of the tools' defaults.
  const documented = shown.inTools ? (await docsOf(description, guide, { inTools: false })).hash : undefined;
  const all = [id, title, version, overview, ...[...sections].flatMap(([name, { text }]) => [name, text])];
  const hash = documented ?? (await sha256(JSON.stringify(all)));
  return { id, title, version, hash, outline, overview, section: (name) => find(sections, name) };
}

interface Section {
  readonly title: string;
  readonly text: string;
}

const prefix = 'actions.';

function sectionsOf(description: ConnectorDescription, guide: Guide, shown: Shown): Map<string, Section> {
  const guideText = (section: string) =>
    guide.sections
      .filter(({ id }) => sectionByHeading[id] === section)
      .map(({ body }) => body)
      .join('\n\n');
  const sections = new Map<string, Section>();
  for (const entity of description.entities) {
    for (const action of entity.actions) {
      const title = action.hosted_only ? 'Search the replica' : clauseOf(action.description);
      sections.set(`${prefix}${entity.name}.${action.name}`, { title, text: actionSection(entity, action, shown) });
    }
  }
  const relations = relationsSection(description);
  if (relations !== undefined) sections.set('relations', { title: 'Relations', text: relations });
  sections.set('auth', { title: 'Credentials', text: authSection(description, guideText('auth')) });
  sections.set('search', { title: 'Searching', text: searchSection(description, guideText('search')) });
  sections.set('errors', { title: 'Errors', text: errorsSection(guideText('errors')) });
  sections.set('limits', { title: 'Limits', text: limitsSection(description, guideText('limits')) });
  for (const { id, title, body } of guide.sections) {
    if (!(id in sectionByHeading)) sections.set(id, { title, text: `# ${title}\n\n${body}` });
  }
  return sections;
}

/** A description up to its first comma, semicolon, colon or period. */
const clauseOf = (description: string) => description.split(/[,;:.]/)[0]!.trim();

function overviewOf(description: ConnectorDescription, guide: Guide, sections: Map<string, Section>): string {
  const others = [...sections.keys()].filter((id) => !id.startsWith(prefix));
  const how = guide.sections.filter(({ id }) => sectionByHeading[id] === '').map(({ body }) => body);
  const write = (explained: boolean) =>
    [
      `# ${description.title} ${description.version}`,
      guide.intro || description.description,
      ...how,
      "Read an action's section by id before you first use the action. Sections: `actions.<entity>.<action>` for",
      description.entities
        .map(({ name, description: text, actions }) => {
          const about = explained ? ` (${clauseOf(text)})` : '';
          return `- ${name}${about}: ${actions.map((action) => action.name).join(', ') || 'none'}`;
        })
        .join('\n'),
      `and ${others.map((id) => `\`${id}\``).join(', ')}.`,
    ].join('\n\n');
  return firstThatFits(sectionBytes, [() => write(true), () => write(false)]);
}

/** Finds ids with or without their prefix, in any unambiguous spelling. */
function find(sections: Map<string, Section>, requested: string): SkillSection {
  const name = requested.trim().replace(/^[#`'"\s]+|(?<![`'"\s])[`'"\s]+$/g, '');
  for (const id of [name, prefix + name, name.toLowerCase(), prefix + name.toLowerCase()]) {
    const section = sections.get(id);
    if (section) return { id, text: section.text };
  }
  const ids = [...sections.keys()];
  const [, bare = name] = /^actions[./](.*)$/.exec(name) ?? [];
  const entity = bare.split('.')[0]!;
  const ofEntity = ids.filter((id) => id.startsWith(`${prefix}${entity}.`));
  // An entity's sections are few enough to list; the rest are in the outline.
  const candidates = ofEntity.length > 0 ? ofEntity : ids;
  const wanted = bare.includes('.') ? prefix + bare : bare;
  const near = suggestion(wanted, candidates, 'sections');
  const short = candidates === ids ? near.replace(/ ?Valid sections: .*$/, '') : near;
  return {
    id: null,
    text: `Unknown section ${quoted(requested)}. ${short} Omit section for the outline.`.replaceAll('  ', ' '),
  };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A guide's heading and its content. */
interface GuideSection {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** A guide split at its second-level headings. */
interface Guide {
  readonly intro: string;
  readonly sections: readonly GuideSection[];
}

const idOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** Splits a Markdown guide. */
function readGuide(text: string): Guide {
  const parts: Array<{ title: string; lines: string[] }> = [{ title: '', lines: [] }];
  let inCode = false;
  for (const line of text.split('\n')) {
    if (/^ *```/.test(line)) inCode = !inCode;
    const title = inCode ? undefined : /^## +(.+?) *$/.exec(line)?.[1];
    if (title !== undefined) parts.push({ title, lines: [] });
    else parts.at(-1)!.lines.push(line);
  }
  const [first, ...rest] = parts.map(({ title, lines }) => ({ id: idOf(title), title, body: lines.join('\n').trim() }));
  return { intro: first!.body.replace(/^# .*\n*/, '').trim(), sections: rest };
}
