import type { ConnectorOverview, EntityDescription } from 'agent-connectors/wire';
import { Code } from '../components/code.js';
import { ExternalLink } from '../components/external-link.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { RecordView } from '../components/record-view.js';
import { searchRecords } from '../data/execute.js';
import { type Fields, keyField, pageOf, relatedTo, stateOf, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { Link } from '../router.js';
import { texts } from '../texts/index.js';

interface RecordPageProps {
  readonly connector: ConnectorOverview;
  /** The replicated entities. */
  readonly entities: readonly EntityDescription[];
  readonly entity: EntityDescription;
  readonly recordId: string;
}

/** A record and the records it references. */
export function RecordPage({ connector: { id, title: vendor }, entities, entity, recordId }: RecordPageProps) {
  const key = keyField(Object.keys(entity.search?.fields ?? {}).sort()) ?? 'id';
  const record = useResource(async () => {
    const { data } = await searchRecords(id, entity.name, { query: { filter: { eq: { [key]: recordId } } }, limit: 1 });
    return (data as readonly Fields[])[0];
  }, [id, entity.name, recordId]);
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
      <details>
        <summary>JSON</summary>
        <Code label={texts.tabs.records} text={JSON.stringify(record.data, null, 2)} />
      </details>
    </>
  );
}
