import type { ConnectorOverview, WorkspaceHit, WorkspaceHits } from 'agent-connectors/wire';
import { recordsOf } from '../data/hit-records.js';
import { groupHits, type HitGroup, nameOf, pathOf, proseOf } from '../data/hits.js';
import { type Fields, recordPath, singularOf, textOf, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link } from '../router.js';
import { texts } from '../texts/index.js';
import { ExternalLink } from './external-link.js';
import { fromFirstMatch, Highlighted } from './highlighted.js';
import { TypeMark } from './mark.js';
import { plainText } from './markdown.js';
import { Time } from './time.js';

interface HitsProps {
  readonly hits: WorkspaceHits['data'];
  readonly prompt: string;
  readonly connectors: readonly ConnectorOverview[];
}

/** Hits of a search, grouped by record. */
export function Hits({ hits, prompt, connectors }: HitsProps) {
  const records = useResource(() => recordsOf(hits), [hits]);
  const known: ReadonlyMap<string, Fields> = records.state === 'done' ? records.data : new Map();
  return (
    <ol class="hits">
      {groupHits(hits).map((group) => {
        const first = (group.main ?? group.parts[0])!;
        const connector = connectors.find(({ id }) => id === first.connector.id);
        return <Group key={nameOf(first)} group={group} prompt={prompt} records={known} connector={connector} />;
      })}
    </ol>
  );
}

interface GroupProps {
  readonly group: HitGroup;
  readonly prompt: string;
  /** Records by the names of their hits. */
  readonly records: ReadonlyMap<string, Fields>;
  readonly connector: ConnectorOverview | undefined;
}

/** Parts of a record that are shown at once. */
const shownParts = 3;

function Group({ group, prompt, records, connector }: GroupProps) {
  const { main, parts } = group;
  const first = (main ?? parts[0])!;
  const entities = connector?.entities.map(({ entity }) => entity) ?? [];
  const path = pathOf(group, entities);
  const title = visibleText(first.title ?? titleOf(first.entity, texts.untitled));
  const url = (main ?? first).url?.split('#')[0];
  const part = (hit: WorkspaceHit) => (
    <Part key={nameOf(hit)} hit={hit} prompt={prompt} record={records.get(nameOf(hit))} />
  );
  return (
    <li>
      <h3>
        <TypeMark name={first.connector.type} />
        {path === undefined ? (
          <Highlighted text={title} words={prompt} />
        ) : (
          <Link to={path}>
            <Highlighted text={title} words={prompt} />
          </Link>
        )}
      </h3>
      <p class="quiet">
        {main ? `${singularOf(main.entity_name)} · ` : ''}
        <Link to={`/connectors/${first.connector.id}`}>{first.connector.name}</Link>
        {main ? <About hit={main} /> : null}
        {url ? (
          <>
            {' · '}
            <ExternalLink href={url}>{texts.openAt(connector?.title ?? first.connector.type)}</ExternalLink>
          </>
        ) : null}
      </p>
      {main ? <Passage hit={main} prompt={prompt} record={records.get(nameOf(main))} /> : null}
      {parts.length === 0 ? null : <ul class="parts">{parts.slice(0, shownParts).map(part)}</ul>}
      {parts.length > shownParts ? (
        <details class="parts">
          <summary>{texts.search.moreParts(parts.length - shownParts)}</summary>
          <ul class="parts">{parts.slice(shownParts).map(part)}</ul>
        </details>
      ) : null}
    </li>
  );
}

/** The identifier, person and date of a hit. */
const About = ({ hit: { entity, person, date } }: { readonly hit: WorkspaceHit }) => (
  <>
    {[textOf(entity.identifier), person].map((text) => (text ? ` · ${visibleText(text)}` : ''))}
    {date ? (
      <>
        {' · '}
        <Time at={date} />
      </>
    ) : null}
  </>
);

interface PartProps {
  readonly hit: WorkspaceHit;
  readonly prompt: string;
  readonly record: Fields | undefined;
}

/** A part of a record, such as a comment, in a line. */
function Part({ hit, prompt, record }: PartProps) {
  const { connector, entity_name, entity, person, date } = hit;
  const path = recordPath(connector.id, entity_name, entity);
  const name = person ? visibleText(person) : singularOf(entity_name);
  return (
    <li>
      <span class="quiet">
        {path === undefined ? name : <Link to={path}>{name}</Link>}
        {date ? (
          <>
            {' · '}
            <Time at={date} />
          </>
        ) : null}
      </span>{' '}
      <Passage hit={hit} prompt={prompt} record={record} />
    </li>
  );
}

/** Characters of an excerpt. */
const maxLength = 400;

/** The text that matched, or the beginning of the record's text. */
function Passage({ hit, prompt, record }: PartProps) {
  const { field, title, metadata } = hit;
  const source = field === 'about' ? (proseOf(record) ?? '') : metadata.context;
  const text = plainText(fromFirstMatch(source, prompt).slice(0, maxLength));
  // What matched is often the title, which is shown already.
  const rest = title !== null && text.startsWith(title) ? text.slice(title.length).replace(/^[\s:.·–-]+/, '') : text;
  if (rest === '') return null;
  return (
    <p class="passage" title={wordsOf(field)}>
      <Highlighted text={visibleText(rest)} words={prompt} />
    </p>
  );
}
