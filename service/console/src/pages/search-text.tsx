import type { ConnectorOverview, WorkspaceHits } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { Choice, TextField } from '../components/field.js';
import { Hits } from '../components/hits.js';
import { Empty, ErrorNotice } from '../components/notice.js';
import { duration } from '../components/time.js';
import { api } from '../data/api.js';
import { wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { useChoices } from '../router.js';
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
          <div class="query">
            <TextField label={texts.search.query} type="search" required value={prompt} change={setPrompt} />
            <button type="submit" class="primary" disabled={isSearching || selected.length === 0}>
              {isSearching ? texts.search.searching : texts.search.title}
            </button>
          </div>
          <details open={mode !== '' || (query.get('without') ?? '') !== '' || workspaces.length > 1}>
            <summary>{texts.search.narrow(selected.length, workspaceConnectors.length)}</summary>
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
          </details>
        </form>
      </search>
      <div aria-live="polite">
        {found.state === 'failed' ? <ErrorNotice error={found.error} /> : null}
        {found.state === 'done' && found.data && searched !== '' ? (
          <Results response={found.data} prompt={searched} connectors={connectors} />
        ) : null}
      </div>
    </>
  );
}

interface ResultsProps {
  readonly response: WorkspaceHits;
  readonly prompt: string;
  readonly connectors: readonly ConnectorOverview[];
}

function Results({ response: { data, meta }, prompt, connectors }: ResultsProps) {
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
      <Hits hits={data} prompt={prompt} connectors={connectors} />
    </section>
  );
}
