import type { ConnectorOverview, EntityDescription, WorkspaceHits } from 'agent-connectors/wire';
import { Code } from '../components/code.js';
import { ExternalLink } from '../components/external-link.js';
import { TypeMark } from '../components/mark.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { RecordView } from '../components/record-view.js';
import { api } from '../data/api.js';
import { searchRecords } from '../data/execute.js';
import { linksOf, type RecordLink } from '../data/links.js';
import { type Fields, keyField, pageOf, recordPath, stateOf, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

interface RecordPageProps {
  readonly connector: ConnectorOverview;
  readonly entity: EntityDescription;
  readonly recordId: string;
}

/** A record and the records it references. */
export function RecordPage({ connector, entity, recordId }: RecordPageProps) {
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
      <Link to={list}>{texts.allRecords(wordsOf(entity.name).toLowerCase())}</Link>
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
  return (
    <>
      {back}
      <div class="title">
        <h2>{visibleText(titleOf(record.data, recordId))}</h2>
        {state === undefined ? null : <span class="badge">{visibleText(state)}</span>}
        {url === undefined ? null : <ExternalLink href={url}>{texts.openAt(vendor)}</ExternalLink>}
      </div>
      <RecordView record={record.data}>
        <Linked connector={connector} entity={entity} record={record.data} />
        <Elsewhere connector={connector} title={titleOf(record.data, '')} recordId={recordId} />
      </RecordView>
      <details>
        <summary>JSON</summary>
        <Code label={texts.tabs.records} text={JSON.stringify(record.data, null, 2)} />
      </details>
    </>
  );
}

interface LinkedProps {
  readonly connector: ConnectorOverview;
  readonly entity: EntityDescription;
  readonly record: Fields;
}

/** The records of all connectors in the workspace that a record is proven to be linked to. */
function Linked({ connector, entity, record }: LinkedProps) {
  const connectors = searchableWith(connector, useConsole().feed.connectors);
  const links = useResource(
    () => linksOf({ connector, entity, record }, connectors),
    [record, connectors.map(({ id }) => id).join(' ')],
  );
  if (links.state === 'failed') return <ErrorNotice error={links.error} retry={links.reload} />;
  if (links.state === 'loading') return null;
  const { found, errors } = links.data;
  return (
    <>
      {found.length === 0 ? null : (
        <nav aria-label={texts.related}>
          <h3>{texts.related}</h3>
          <ul class="related">
            {[...found]
              .sort((one, other) => Number(one.kind === 'field') - Number(other.kind === 'field'))
              .map((link) => (
                <li
                  key={`${link.connector.id} ${link.entity} ${recordPath(link.connector.id, link.entity, link.record)}`}
                >
                  <LinkedRecord link={link} isOwn={link.connector.id === connector.id} />
                </li>
              ))}
          </ul>
        </nav>
      )}
      {errors.map((error) => (
        <ErrorNotice key={error.message} error={error} retry={links.reload} />
      ))}
    </>
  );
}

function LinkedRecord({ link, isOwn }: { readonly link: RecordLink; readonly isOwn: boolean }) {
  const { connector, entity, record, kind, field } = link;
  const path = recordPath(connector.id, entity, record) ?? '';
  const key = keyField(Object.keys(record).sort()) ?? 'id';
  return (
    <>
      {isOwn ? null : <TypeMark name={connector.connector_type} />}
      <span class="quiet">{field === undefined ? texts.linkKinds[kind] : wordsOf(field)}</span>{' '}
      <Link to={path}>{visibleText(titleOf(record, String(record[key])))}</Link>{' '}
      {isOwn && kind === 'field' ? null : (
        <span class="quiet">
          {isOwn ? '' : `${visibleText(connector.name)} · `}
          {wordsOf(entity)}
        </span>
      )}
    </>
  );
}

/** A connector and the others in its workspace whose records can be searched. */
const searchableWith = (connector: ConnectorOverview, connectors: readonly ConnectorOverview[] = []) =>
  connectors.filter(
    ({ workspace_name, entities }) =>
      workspace_name === connector.workspace_name && entities.some(({ ready_for_search }) => ready_for_search),
  );

interface ElsewhereProps {
  readonly connector: ConnectorOverview;
  readonly title: string;
  readonly recordId: string;
}

/** Records of other connectors in the workspace with the words of a record's title, such as the call about an issue. */
function Elsewhere({ connector, title, recordId }: ElsewhereProps) {
  const ids = searchableWith(connector, useConsole().feed.connectors)
    .map(({ id }) => id)
    .filter((id) => id !== connector.id);
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
          const name = visibleText(hit.title ?? titleOf(hit.entity, texts.untitled));
          return (
            <li key={path ?? `${hit.connector.id} ${hit.entity_name} ${name}`}>
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
