import type { ConnectorOverview, WorkspaceHit, WorkspaceHits } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { ExternalLink } from '../components/external-link.js';
import { Choice, TextField } from '../components/field.js';
import { fromFirstMatch, Highlighted } from '../components/highlighted.js';
import { plainText } from '../components/markdown.js';
import { Empty, ErrorNotice } from '../components/notice.js';
import { duration, Time } from '../components/time.js';
import { api } from '../data/api.js';
import { keyField, pageOf, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link, useChoices } from '../router.js';
import { workspacesOf } from '../session.js';
import { texts } from '../texts/index.js';

/** Searches some or all of a workspace's connectors. */
export function TextSearch({ connectors }: { readonly connectors: readonly ConnectorOverview[] }) {
  const workspaces = workspacesOf(connectors);
  const [query, change] = useChoices();
  const searched = query.get('q') ?? '';
  const mode = query.get('rank') ?? '';
  const workspace = query.get('workspace') ?? workspaces[0] ?? '';
  const excluded = new Set((query.get('without') ?? '').split(' '));
  const [prompt, setPrompt] = useState(searched);
  useEffect(() => setPrompt(searched), [searched]);
  const workspaceConnectors = connectors.filter(({ workspace_name }) => workspace_name === workspace);
  const searchable = workspaceConnectors.filter(({ entities }) => entities.some((one) => one.ready_for_search));
  const selected = searchable.filter(({ id }) => !excluded.has(id));
  const notSearched = workspaceConnectors.filter((one) => !searchable.includes(one));
  // A search is repeated when the page is loaded again, so its results are those of the URL.
  const found = useResource<WorkspaceHits | undefined>(
    async (signal) => {
      if (searched === '' || selected.length === 0) return undefined;
      const json = {
        prompt: searched,
        limit: 20,
        context_size: 400,
        ...(mode !== '' && { mode }),
        ...(selected.length < workspaceConnectors.length && { connector_ids: selected.map(({ id }) => id) }),
      };
      const path = `/api/v1/workspaces/${encodeURIComponent(workspace)}/search`;
      return api<WorkspaceHits>(path, { method: 'POST', json, signal });
    },
    [searched, mode, workspace, selected.map(({ id }) => id).join(' ')],
  );
  const [isSearching, setSearching] = useState(false);
  useEffect(() => setSearching(false), [found.state === 'done' ? found.data : found.state]);
  const search = (event: Event) => {
    event.preventDefault();
    if (prompt === searched) found.reload();
    else change({ q: prompt });
    setSearching(true);
  };
  const toggle = (id: string) => {
    const next = new Set(excluded);
    if (!next.delete(id)) next.add(id);
    change({ without: [...next].join(' ').trim() });
  };
  return (
    <>
      <search>
        <form class="panel" onSubmit={search}>
          <TextField label={texts.search.query} type="search" required value={prompt} change={setPrompt} />
          <div class="row">
            {workspaces.length > 1 ? (
              <Choice
                label={texts.workspace}
                value={workspace}
                options={workspaces.map((name) => [name, name])}
                choose={(name) => change({ workspace: name, without: '' })}
              />
            ) : null}
            <Choice
              label={texts.search.rankBy}
              value={mode}
              options={texts.search.modes}
              choose={(rank) => change({ rank })}
            />
          </div>
          <fieldset class="picks">
            <legend>{texts.connectors.title}</legend>
            {workspaceConnectors.map(({ id, name, title }) => (
              <label key={id}>
                <input
                  type="checkbox"
                  checked={selected.some((one) => one.id === id)}
                  disabled={!searchable.some((one) => one.id === id)}
                  onChange={() => toggle(id)}
                />{' '}
                {name} <span class="quiet">{title}</span>
              </label>
            ))}
          </fieldset>
          {notSearched.length > 0 ? (
            <p class="notice">{texts.search.notReady(notSearched.map(({ name }) => visibleText(name)))}</p>
          ) : null}
          <div class="buttons">
            <button type="submit" class="primary" disabled={isSearching || selected.length === 0}>
              {isSearching ? texts.search.searching : texts.search.title}
            </button>
          </div>
        </form>
      </search>
      <div aria-live="polite">
        {found.state === 'failed' ? <ErrorNotice error={found.error} /> : null}
        {found.state === 'done' && found.data && searched !== '' ? (
          <Hits
            response={found.data}
            prompt={searched}
            vendorOf={(id) => connectors.find((one) => one.id === id)?.title}
          />
        ) : null}
      </div>
    </>
  );
}

interface HitsProps {
  readonly response: WorkspaceHits;
  readonly prompt: string;
  /** Looks up the vendor's title by connector id. */
  readonly vendorOf: (id: string) => string | undefined;
}

function Hits({ response: { data, meta }, prompt, vendorOf }: HitsProps) {
  return (
    <section aria-label={texts.search.results}>
      <h2 class="hidden">{texts.search.results}</h2>
      <p class="quiet">
        {texts.search.found(data.length, duration(meta.took_ms))}
        {meta.rankers.length > 0
          ? `, ${texts.search.rankedBy(meta.rankers.map((one) => texts.search.rankers[one] ?? one))}`
          : ''}
      </p>
      {meta.skipped.length > 0 ? (
        <div class="notice">
          <details>
            <summary>
              {texts.search.skipped([...new Set(meta.skipped.map(({ connector }) => visibleText(connector.name)))])}
            </summary>
            <ul>
              {meta.skipped.map(({ connector, entity_name, reason }) => (
                <li key={`${connector.id} ${entity_name}`}>
                  <strong>{connector.name}</strong> {entity_name ? wordsOf(entity_name) : null} {reason}
                </li>
              ))}
            </ul>
          </details>
        </div>
      ) : null}
      {data.length === 0 ? (
        <Empty title={texts.search.noResults}>
          <p>{texts.search.noResultsText}</p>
        </Empty>
      ) : null}
      <ol class="hits">
        {data.map((hit, index) => (
          <HitView
            key={`${hit.connector.id} ${hit.entity_name} ${String(hit.entity.id ?? index)}`}
            hit={hit}
            prompt={prompt}
            vendor={vendorOf(hit.connector.id)}
          />
        ))}
      </ol>
    </section>
  );
}

interface HitViewProps {
  readonly hit: WorkspaceHit;
  readonly prompt: string;
  readonly vendor: string | undefined;
}

function HitView({ hit, prompt, vendor }: HitViewProps) {
  const { connector, entity, entity_name, field, metadata } = hit;
  const { score: _, context, ...others } = metadata;
  const notes = Object.entries(others).filter(
    ([, value]) => typeof value === 'string' && !['', hit.person].includes(value) && !/^https?:/.test(value),
  );
  const key = keyField(Object.keys(entity).sort());
  const recordId = key === undefined ? undefined : entity[key];
  const list = `/connectors/${connector.id}/records/${encodeURIComponent(entity_name)}`;
  const title = hit.title ?? titleOf(entity, texts.untitled);
  const url = hit.url ?? pageOf(entity);
  const text = plainText(fromFirstMatch(context, prompt));
  // What matched is often the title, which is shown already.
  const rest = text.startsWith(title) ? text.slice(title.length).replace(/^[\s:.·–-]+/, '') : text;
  // Names and labels of a record; its person stands below.
  const excerpt =
    field === 'about'
      ? rest
          .split(' · ')
          .filter((part) => part !== hit.person)
          .join(' · ')
      : rest;
  return (
    <li>
      <h3>
        <Link to={recordId === undefined ? list : `${list}/${encodeURIComponent(String(recordId))}`}>
          {visibleText(title)}
        </Link>
      </h3>
      {excerpt === '' ? null : (
        <p class="passage">
          <Highlighted text={excerpt} words={prompt} />
        </p>
      )}
      <p class="quiet">
        <Link to={`/connectors/${connector.id}`}>{connector.name}</Link> ·{' '}
        <span title={`${entity_name}.${field}`}>{wordsOf(entity_name)}</span>
        {hit.person ? ` · ${hit.person}` : ''}
        {hit.date ? (
          <>
            {' '}
            · <Time at={hit.date} />
          </>
        ) : null}
        {notes.map(([name, value]) => (
          <span key={name} class="note">
            {' '}
            · <span title={name}>{wordsOf(name)}</span>: {String(value)}
          </span>
        ))}
        {url === undefined ? null : (
          <>
            {' '}
            · <ExternalLink href={url}>{texts.openAt(vendor ?? connector.type)}</ExternalLink>
          </>
        )}
      </p>
    </li>
  );
}
