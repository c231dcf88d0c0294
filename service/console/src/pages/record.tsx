import type { ConnectorOverview, EntityDescription, WorkspaceHits } from 'agent-connectors/wire';
import { Code } from '../components/code.js';
import { ExternalLink } from '../components/external-link.js';
import { TypeMark } from '../components/mark.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { RecordView } from '../components/record-view.js';
import { api } from '../data/api.js';
import { searchRecords } from '../data/execute.js';
import { type Fields, keyField, pageOf, recordPath, relatedTo, stateOf, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

interface RecordPageProps {
  readonly connector: ConnectorOverview;
  /** The replicated entities. */
  readonly entities: readonly EntityDescription[];
  readonly entity: EntityDescription;
  readonly recordId: string;
}

/** A record and the records it references. */
export function RecordPage({ connector, entities, entity, recordId }: RecordPageProps) {
  const { id, title: vendor } = connector;
  const key = keyField(Object.keys(entity.search?.fields ?? {}).sort()) ?? 'id';
  const record = useResource(async () => {
    const { data } = await searchRecords(id, entity.name, { query: { filter: { eq: { [key]: recordId } } }, limit: 1 });
    return (data as readonly Fields[])[0];
  }, [id, entity.name, recordId]);
  useTitle(record.state === 'done' && record.data ? titleOf(record.data, recordId) : recordId, connector.name);
  const list = `/connectors/${id}/records/${encodeURIComponent(entity.name)}`;
  const back = (
    <p class="crumbs">
      <Link to={list}>{texts.allRecords(entity.name)}</Link>
    </p>
  );
  if (record.state === 'loading') return <Loading />;
  if (record.state === 'failed') return <ErrorNotice error={record.error} retry={record.reload} />;
  if (!record.data) {
    return (
      <>
        {back}
        <Empty title={texts.recordMissing}>
          <p>{texts.recordMissingText}</p>
        </Empty>
      </>
    );
  }
  const url = pageOf(record.data);
  const state = stateOf(record.data);
  const related = relatedTo(
    record.data,
    entity.name,
    entities.map(({ name }) => name),
  );
  return (
    <>
      {back}
      <div class="title">
        <h2>{visibleText(titleOf(record.data, recordId))}</h2>
        {state === undefined ? null : <span class="badge">{visibleText(state)}</span>}
        {url === undefined ? null : <ExternalLink href={url}>{texts.openAt(vendor)}</ExternalLink>}
      </div>
      {related.length === 0 ? null : (
        <nav aria-label={texts.related}>
          <ul class="related">
            {related.map((one) => (
              <li key={one.field}>
                <span class="quiet">{wordsOf(one.field)}</span>{' '}
                <Link to={`/connectors/${id}/records/${encodeURIComponent(one.entity)}/${encodeURIComponent(one.id)}`}>
                  {visibleText(one.title)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <RecordView record={record.data} />
      <Elsewhere connector={connector} title={titleOf(record.data, '')} recordId={recordId} />
      <details>
        <summary>JSON</summary>
        <Code label={texts.tabs.records} text={JSON.stringify(record.data, null, 2)} />
      </details>
    </>
  );
}

interface ElsewhereProps {
  readonly connector: ConnectorOverview;
  readonly title: string;
  readonly recordId: string;
}

/** Records of other connectors in the workspace with the words of a record's title, such as the call about an issue. */
function Elsewhere({ connector, title, recordId }: ElsewhereProps) {
  const { connectors = [] } = useConsole().feed;
  const ids = connectors
    .filter(({ id, workspace_name, entities }) => {
      const isSearchable = entities.some(({ ready_for_search }) => ready_for_search);
      return id !== connector.id && workspace_name === connector.workspace_name && isSearchable;
    })
    .map(({ id }) => id);
  const found = useResource(
    async (signal) => {
      if (title === '' || ids.length === 0) return [];
      const path = `/api/v1/workspaces/${encodeURIComponent(connector.workspace_name)}/search`;
      const json = { prompt: title, limit: 6, mode: 'lexical', connector_ids: ids };
      return (await api<WorkspaceHits>(path, { method: 'POST', json, signal })).data;
    },
    [recordId, title, ids.join(' ')],
  );
  if (found.state !== 'done' || found.data.length === 0) return null;
  return (
    <section aria-label={texts.elsewhere}>
      <h3>{texts.elsewhere}</h3>
      <ul class="rows">
        {found.data.map((hit) => {
          const path = recordPath(hit.connector.id, hit.entity_name, hit.entity);
          const name = visibleText(hit.title ?? titleOf(hit.entity, hit.entity_name));
          return (
            <li key={`${hit.connector.id} ${hit.entity_name} ${name}`}>
              <TypeMark name={hit.connector.type} />
              {path === undefined ? name : <Link to={path}>{name}</Link>}
              <span class="quiet">
                {hit.connector.name} · {wordsOf(hit.entity_name)}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
