import type { ConnectorDescription, ConnectorOverview, EntityDescription } from 'agent-connectors/wire';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Picks } from '../components/checks.js';
import { ConditionRow } from '../components/condition-row.js';
import { Choice } from '../components/field.js';
import { Empty, ErrorNotice, Loading, Unloaded } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { RecordTable } from '../components/record-table.js';
import { api, connectorPath } from '../data/api.js';
import { saveFile, searchRecords } from '../data/execute.js';
import { type Condition, filterOf, operatorsOf, readConditions, writeConditions } from '../data/filter.js';
import { columnsOf, type Fields, isEmpty, keyField, labelOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { firstPage, navigate, useChoices, usePages } from '../router.js';
import { texts } from '../texts/index.js';
import { RecordPage } from './record.js';

interface RecordsTabProps {
  readonly connector: ConnectorOverview;
  /** Entity and id of the record, if the URL contains them. */
  readonly path: readonly string[];
}

/** A connector's replicated records, or one of them. */
export function RecordsTab({ connector, path }: RecordsTabProps) {
  const { id } = connector;
  const [entityName, recordId] = path.map(decodeURIComponent);
  const description = useResource(
    (signal) => api<ConnectorDescription>(connectorPath(id, '/describe'), { signal }),
    [id],
  );
  if (description.state === 'loading') return <Loading />;
  if (description.state === 'failed') return <ErrorNotice error={description.error} retry={description.reload} />;
  const replicated = connector.entities.filter(({ status }) => status !== 'not_configured').map(({ entity }) => entity);
  const entities = description.data.entities.filter(({ name, search }) => search !== null && replicated.includes(name));
  const entity = entities.find(({ name }) => name === entityName) ?? entities[0];
  if (!entity) {
    return (
      <Empty title={texts.notReplicated}>
        <p>{texts.notReplicatedText}</p>
      </Empty>
    );
  }
  if (recordId !== undefined) {
    return <RecordPage key={`${entity.name} ${recordId}`} connector={connector} entity={entity} recordId={recordId} />;
  }
  return (
    <Records key={entity.name} connector={connector} entity={entity}>
      <Choice
        label={texts.entity}
        value={entity.name}
        options={entities.map(({ name }) => [name, wordsOf(name)])}
        choose={(name) => navigate(`/connectors/${id}/records/${encodeURIComponent(name)}`)}
      />
    </Records>
  );
}

const pageSize = 50;
const dates = ['updatedAt', 'updated_at', 'updated', 'started', 'createdAt', 'created_at', 'created', 'date'];
const firstFilters = ['title', 'name', 'file_name', 'body', 'emailAddress'];

interface RecordsProps {
  readonly connector: ConnectorOverview;
  readonly entity: EntityDescription;
  /** The choice of the entity. */
  readonly children: ComponentChildren;
}

interface RecordPageData {
  readonly rows: readonly Fields[];
  readonly next: string | null;
}

function Records({ connector: { id, connector_type: type, job, entities }, entity, children }: RecordsProps) {
  const types = entity.search?.fields ?? {};
  const fields = Object.keys(types).sort();
  const key = keyField(fields);
  const [query, change] = useChoices();
  const where = query.get('where');
  const fallback = (): Condition => {
    const field = firstFilters.find((name) => fields.includes(name)) ?? fields[0] ?? '';
    return { key: 0, field, operator: operatorsOf(types[field] ?? '')[0]?.[0] ?? 'eq', text: '' };
  };
  const applied = readConditions(where, types)[0] ?? fallback();
  const [condition, setCondition] = useState(applied);
  useEffect(() => setCondition(applied), [where]);
  const sortable = dates.filter((name) => fields.includes(name));
  const chosenSort = query.get('sort') ?? sortable[0] ?? '';
  const sort = chosenSort === 'stored' ? '' : chosenSort;
  const [cursors, setCursors] = usePages();
  const [columns, setColumns] = useColumns(`${type} ${entity.name}`);
  const cursor = cursors.at(-1);
  const filter = filterOf([applied], 'and', types);
  const found = useResource<RecordPageData>(async () => {
    const search = { ...(filter && { filter }), ...(sort !== '' && { sort: [{ [sort]: 'desc' }] }) };
    const { data, meta } = await searchRecords(id, entity.name, {
      query: search,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    });
    const next = (meta as { readonly cursor?: string | null }).cursor ?? null;
    return { rows: data as readonly Fields[], next };
  }, [id, entity.name, JSON.stringify(filter), sort, cursor, job?.id, job?.status]);
  // A search does not report a total, so only the unfiltered list shows one.
  const total = filter ? null : (entities.find((one) => one.entity === entity.name)?.entity_count ?? null);
  const linkOf = (row: Fields) => {
    const value = key === undefined ? undefined : row[key];
    return typeof value === 'string' || typeof value === 'number'
      ? `/connectors/${id}/records/${encodeURIComponent(entity.name)}/${encodeURIComponent(value)}`
      : undefined;
  };
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change({ ...firstPage, where: writeConditions([condition]) });
        }}
      >
        <div class="row">
          {children}
          {sortable.length > 0 ? (
            <Choice
              label={texts.sortBy}
              value={sort}
              options={[
                ...sortable.map((name) => [name, texts.newestFirst(wordsOf(name))] as const),
                ['', texts.storedOrder] as const,
              ]}
              choose={(name) => change({ ...firstPage, sort: name === '' ? 'stored' : name })}
            />
          ) : null}
        </div>
        <div class="query">
          <ConditionRow
            condition={condition}
            fields={fields}
            types={types}
            number={1}
            set={(change) => setCondition({ ...condition, ...change })}
            remove={undefined}
          />
          <button type="submit" class="primary">
            {texts.filter}
          </button>
        </div>
      </form>
      <Unloaded resource={found} />
      {found.state === 'done' && found.data.rows.length === 0 ? (
        <Empty title={texts.noRecords}>
          <p>{texts.noRecordsText}</p>
        </Empty>
      ) : null}
      {found.state === 'done' && found.data.rows.length > 0 ? (
        <>
          <Columns
            names={columnsOf(found.data.rows)}
            chosen={columns ?? shownColumns(found.data.rows, sort)}
            choose={setColumns}
          />
          <p class="quiet">
            {texts.recordRange(
              cursors.length * pageSize + 1,
              cursors.length * pageSize + found.data.rows.length,
              total,
            )}
            {' · '}
            <button
              type="button"
              class="plain"
              onClick={() => saveCsv(entity.name, found.data.rows, columns ?? shownColumns(found.data.rows, sort))}
            >
              {texts.exportShown}
            </button>
          </p>
          <RecordTable
            rows={found.data.rows}
            columns={columns ?? shownColumns(found.data.rows, sort)}
            linkOf={linkOf}
          />
          <Pager cursors={cursors} next={found.data.next} choose={setCursors} labels={[texts.previous, texts.next]} />
        </>
      ) : null}
    </>
  );
}

/** The chosen columns: those in the URL or, failing that, the last choice in this browser. */
function useColumns(list: string): readonly [readonly string[] | undefined, (names: readonly string[]) => void] {
  const [query, change] = useChoices();
  const key = `columns ${list}`;
  const written = query.get('columns') ?? localStorage.getItem(key) ?? '';
  const choose = (names: readonly string[]) => {
    localStorage.setItem(key, names.join(','));
    change({ columns: names.join(',') });
  };
  return [written === '' ? undefined : written.split(','), choose];
}

/** Saves the shown columns of the shown records as a file. */
function saveCsv(name: string, rows: readonly Fields[], columns: readonly string[]): void {
  // A spreadsheet would run a text that starts like a formula.
  const cell = (value: unknown): string => {
    const text = isEmpty(value) ? '' : typeof value === 'string' ? value : (labelOf(value) ?? JSON.stringify(value));
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const file = new Blob([lines.map((line) => `${line.join(',')}\r\n`).join('')], { type: 'text/csv' });
  saveFile(file, `${name}.csv`);
}

/** Default number of columns. */
const defaultColumns = 6;

/** The main columns, plus the sort column. */
function shownColumns(rows: readonly Fields[], sort: string): string[] {
  const names = columnsOf(rows);
  return names.filter((name, index) => index < defaultColumns || name === sort);
}

interface ColumnsProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly choose: (names: readonly string[]) => void;
}

function Columns({ names, chosen, choose }: ColumnsProps) {
  return (
    <details class="low">
      <summary>{texts.columns}</summary>
      <Picks names={names} titleOf={wordsOf} chosen={chosen} choose={choose} keepOne />
    </details>
  );
}
