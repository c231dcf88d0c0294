import { quoted, suggestion } from '../call/nearest.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import { actionSection, sectionBytes } from './action-section.js';
import { authSection, errorsSection, limitsSection, searchSection } from './general-sections.js';
import { type Guide, readGuide } from './guide.js';
import { firstThatFits } from './tokens.js';

/** One section that can be asked for. */
export interface SectionTitle {
  /** Id of the section. */
  readonly id: string;
  /** Title of the section. */
  readonly title: string;
}

/** A section as it was found; `id` is null where there is none of this name, and the text says what there is. */
export interface SkillSection {
  /** Id of the section; null where there is none. */
  readonly id: string | null;
  /** Markdown. */
  readonly text: string;
}

/** Documentation of one connector for agents, in sections. */
export interface SkillDocs {
  /** Id of the documentation. */
  readonly id: string;
  /** Its title. */
  readonly title: string;
  /** Version of the connector. */
  readonly version: string;
  /** SHA-256 of all of it, in hex: a client can pin it. */
  readonly hash: string;
  /** Sections that can be asked for. */
  readonly outline: readonly SectionTitle[];
  /** How to go about it, and the outline. */
  readonly overview: string;
  /** One section, by its id. */
  section(id: string): SkillSection;
}

/** What is documented: a connector, or its description. */
export type Documented =
  | ConnectorDescription
  | {
      /** The connector as plain JSON. */
      describe(): ConnectorDescription;
      /** Its guide, in Markdown. */
      guide?(): Promise<string>;
    };

/** Headings of a guide that belong to a section of another name; `''` is the overview. */
const sectionByHeading: Readonly<Record<string, string>> = {
  'how-to-go-about-it': '',
  credentials: 'auth',
  limits: 'limits',
  search: 'search',
  searching: 'search',
  errors: 'errors',
};

/** Makes a connector's documentation for agents from its description and its guide. */
export async function skillDocs(documented: Documented, guide?: string): Promise<SkillDocs> {
  const isConnector = 'describe' in documented;
  const description = isConnector ? documented.describe() : documented;
  return docsOf(description, guide ?? (isConnector ? await documented.guide?.() : undefined) ?? '', false);
}

/** The documentation that tools give: with what they choose by themselves. */
export const toolDocs = (description: ConnectorDescription, guide: string): Promise<SkillDocs> =>
  docsOf(description, guide, true);

async function docsOf(description: ConnectorDescription, guide: string, inTools: boolean): Promise<SkillDocs> {
  const read = readGuide(guide);
  const id = `${description.name}-connector-docs`;
  const title = `${description.title} connector`;
  const { version } = description;
  const sections = sectionsOf(description, read, inTools);
  const overview = overviewOf(description, read, sections);
  const outline = [...sections].map(([name, section]) => ({ id: name, title: section.title }));
  // The same wherever it is read: what tools choose by themselves does not change what is documented.
  const documented = inTools ? (await docsOf(description, guide, false)).hash : undefined;
  const all = [id, title, version, overview, ...[...sections].flatMap(([name, { text }]) => [name, text])];
  const hash = documented ?? (await sha256(JSON.stringify(all)));
  return { id, title, version, hash, outline, overview, section: (name) => find(sections, name) };
}

interface Section {
  readonly title: string;
  readonly text: string;
}

const prefix = 'actions.';

function sectionsOf(description: ConnectorDescription, guide: Guide, inTools: boolean): Map<string, Section> {
  const guideText = (section: string) =>
    guide.sections
      .filter(({ id }) => sectionByHeading[id] === section)
      .map(({ body }) => body)
      .join('\n\n');
  const sections = new Map<string, Section>();
  for (const entity of description.entities) {
    for (const action of entity.actions) {
      const title = action.hosted_only ? 'Search the replica' : clauseOf(action.description);
      sections.set(`${prefix}${entity.name}.${action.name}`, { title, text: actionSection(entity, action, inTools) });
    }
  }
  sections.set('auth', { title: 'Credentials', text: authSection(description, guideText('auth')) });
  sections.set('search', { title: 'Searching', text: searchSection(description, guideText('search')) });
  sections.set('errors', { title: 'Errors', text: errorsSection(guideText('errors')) });
  sections.set('limits', { title: 'Limits', text: limitsSection(description, guideText('limits')) });
  for (const { id, title, body } of guide.sections) {
    if (!(id in sectionByHeading)) sections.set(id, { title, text: `# ${title}\n\n${body}` });
  }
  return sections;
}

/** A description up to its first comma, semicolon, colon or full stop. */
const clauseOf = (description: string) => description.split(/[,;:.]/)[0]!.trim();

function overviewOf(description: ConnectorDescription, guide: Guide, sections: Map<string, Section>): string {
  const others = [...sections.keys()].filter((id) => !id.startsWith(prefix));
  const how = guide.sections.filter(({ id }) => sectionByHeading[id] === '').map(({ body }) => body);
  const write = (explained: boolean) =>
    [
      `# ${description.title} ${description.version}`,
      guide.intro || description.description,
      ...how,
      'Sections, to read by id before you first use an action: `actions.<entity>.<action>` of',
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

/** Takes ids with and without their prefix, in any spelling that leaves no doubt. */
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
  // The sections of one entity are few enough to name; those of all are in the outline.
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
