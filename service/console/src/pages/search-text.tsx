import { useState } from 'preact/hooks';
import type { ConnectorOverview } from '../../../src/web/console/types.js';
import { ExternalLink } from '../components/external-link.js';
import { Choice, Field } from '../components/field.js';
import { Highlighted } from '../components/highlighted.js';
import { Empty, ErrorNotice } from '../components/notice.js';
import { duration, Time } from '../components/time.js';
import { api } from '../data/api.js';
import { pageOf, titleOf } from '../data/record.js';
import type { Hit, WorkspaceSearchResponse } from '../data/wire.js';
import { Link } from '../router.js';
import { workspacesOf } from '../session.js';
import { texts } from '../texts/index.js';

/** A search over all or some connectors of a workspace. */
export function TextSearch({ connectors }: { readonly connectors: readonly ConnectorOverview[] }) {
  const workspaces = workspacesOf(connectors);
  const [workspace, setWorkspace] = useState(workspaces[0] ?? '');
  const [prompt, setPrompt] = useState('');
  const [mode, setMode] = useState('');
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [searchedPrompt, setSearchedPrompt] = useState('');
  const [response, setResponse] = useState<WorkspaceSearchResponse>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const workspaceConnectors = connectors.filter(({ workspace_name }) => workspace_name === workspace);
  const selected = workspaceConnectors.filter(({ id }) => !excluded.has(id));
  const search = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const json = {
      ...{ prompt, limit: 20, context_size: 400 },
      ...(mode !== '' && { mode }),
      ...(selected.length < workspaceConnectors.length && { connector_ids: selected.map(({ id }) => id) }),
    };
    const path = `/api/v1/workspaces/${encodeURIComponent(workspace)}/search`;
    await api<WorkspaceSearchResponse>(path, { method: 'POST', json }).then(setResponse, setError);
    setSearchedPrompt(prompt);
    setBusy(false);
  };
  const toggle = (id: string) => {
    const next = new Set(excluded);
    if (!next.delete(id)) next.add(id);
    setExcluded(next);
  };
  return (
    <>
      <search>
        <form class="panel" onSubmit={search}>
          <Field label={texts.search.query}>
            {(control) => (
              <input
                {...control}
                type="search"
                required
                value={prompt}
                onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
              />
            )}
          </Field>
          <div class="row">
            {workspaces.length > 1 ? (
              <Choice
                label={texts.workspace}
                value={workspace}
                options={workspaces.map((name) => [name, name])}
                choose={setWorkspace}
              />
            ) : null}
            <Choice label={texts.search.rankBy} value={mode} options={texts.search.modes} choose={setMode} />
          </div>
          <fieldset class="picks">
            <legend>{texts.connectors.title}</legend>
            {workspaceConnectors.map(({ id, name, title }) => (
              <label key={id}>
                <input type="checkbox" checked={!excluded.has(id)} onChange={() => toggle(id)} /> {name}{' '}
                <span class="quiet">{title}</span>
              </label>
            ))}
          </fieldset>
          <div class="buttons">
            <button type="submit" class="primary" disabled={busy || selected.length === 0}>
              {busy ? texts.search.searching : texts.search.title}
            </button>
          </div>
        </form>
      </search>
      <div aria-live="polite">
        {error ? <ErrorNotice error={error} /> : null}
        {response && !error ? <Hits response={response} prompt={searchedPrompt} /> : null}
      </div>
    </>
  );
}

function Hits({
  response: { data, meta },
  prompt,
}: {
  readonly response: WorkspaceSearchResponse;
  readonly prompt: string;
}) {
  return (
    <section aria-label={texts.search.results}>
      <h2 class="hidden">{texts.search.results}</h2>
      <p class="quiet">
        {texts.search.found(data.length, duration(meta.took_ms))}
        {meta.rankers.length > 0
          ? `, ${texts.search.rankedBy(meta.rankers.map((one) => texts.search.rankers[one] ?? one))}`
          : ''}
      </p>
      {data.length === 0 ? (
        <Empty title={texts.search.noResults}>
          <p>{texts.search.noResultsText}</p>
        </Empty>
      ) : null}
      <ol class="hits">
        {data.map((hit, index) => (
          <HitView
            key={`${hit.connector.id} ${hit.entity_name} ${String(hit.entity.id ?? index)}`}
            {...{ hit, prompt }}
          />
        ))}
      </ol>
      {meta.skipped.length > 0 ? (
        <details>
          <summary>{texts.search.skipped(meta.skipped.length)}</summary>
          <ul>
            {meta.skipped.map(({ connector, entity_name, reason }) => (
              <li key={`${connector.id} ${entity_name}`}>
                <strong>{connector.name}</strong> {entity_name ? <code>{entity_name}</code> : null} {reason}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

function HitView({ hit, prompt }: { readonly hit: Hit; readonly prompt: string }) {
  const { connector, entity, entity_name, field, metadata } = hit;
  const { score, context, ...others } = metadata;
  const notes = Object.entries(others).filter(([, value]) => typeof value === 'string' && value !== '');
  const title = hit.title ?? titleOf(entity, entity_name);
  const url = hit.url ?? pageOf(entity);
  return (
    <li>
      <h3>{url === undefined ? title : <ExternalLink href={url}>{title}</ExternalLink>}</h3>
      <p class="passage">
        <Highlighted text={context} words={prompt} />
      </p>
      <p class="quiet">
        <Link to={`/connectors/${connector.id}`}>{connector.name}</Link> · {entity_name}.{field}
        {hit.person ? ` · ${hit.person}` : ''}
        {hit.date ? (
          <>
            {' '}
            · <Time at={hit.date} />
          </>
        ) : null}{' '}
        · {texts.search.score(score)}
        {notes.map(([name, value]) => (
          <span key={name}>
            {' '}
            · {name}: {String(value)}
          </span>
        ))}
      </p>
    </li>
  );
}
