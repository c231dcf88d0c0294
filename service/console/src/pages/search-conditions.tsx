import type { ConnectorDescription, ConnectorOverview, EntityDescription } from 'agent-connectors/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Code } from '../components/code.js';
import { ConditionRow } from '../components/condition-row.js';
import { Choice } from '../components/field.js';
import { Empty, ErrorNotice, Unloaded } from '../components/notice.js';
import { type Outcome, ResultView } from '../components/result.js';
import { api, connectorPath } from '../data/api.js';
import { searchRecords } from '../data/execute.js';
import { type Condition, filterOf, operatorsOf, readConditions, writeConditions } from '../data/filter.js';
import { recordPath, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { useChoices } from '../router.js';
import { texts } from '../texts/index.js';

/** Searches one entity using conditions on its fields. */
export function ConditionSearch({ connectors }: { readonly connectors: readonly ConnectorOverview[] }) {
  const searchable = connectors.filter(({ entities }) => entities.length > 0);
  const [query, change] = useChoices();
  const id = (searchable.find((one) => one.id === query.get('connector')) ?? searchable[0])?.id ?? '';
  const entityName = query.get('entity');
  const description = useResource(
    (signal) =>
      id === ''
        ? Promise.reject(new Error(texts.search.noRecords))
        : api<ConnectorDescription>(connectorPath(id, '/describe'), { signal }),
    [id],
  );
  if (searchable.length === 0) return <Empty title={texts.search.noRecords} />;
  const entities =
    description.state === 'done' ? description.data.entities.filter(({ search }) => search !== null) : [];
  const entity = entities.find(({ name }) => name === entityName) ?? entities[0];
  return (
    <>
      <div class="row">
        <Choice
          label={texts.connector}
          value={id}
          options={searchable.map((one) => [one.id, one.name])}
          choose={(connector) => change({ connector, entity: '', where: '', sort: '', match: '' })}
        />
        <Choice
          label={texts.entity}
          value={entity?.name ?? ''}
          options={entities.map(({ name }) => [name, wordsOf(name)])}
          choose={(name) => change({ entity: name, where: '', sort: '', match: '' })}
        />
      </div>
      <Unloaded resource={description} />
      {entity ? <Builder key={`${id} ${entity.name}`} id={id} entity={entity} /> : null}
    </>
  );
}

function Builder({ id, entity }: { readonly id: string; readonly entity: EntityDescription }) {
  const types = entity.search?.fields ?? {};
  const fields = Object.keys(types).sort();
  const nextKey = useRef(1);
  const newCondition = (key: number): Condition => {
    const field = fields.includes('title') ? 'title' : (fields[0] ?? '');
    return { key, field, operator: operatorsOf(types[field] ?? '')[0]?.[0] ?? 'eq', text: '' };
  };
  const [query, change] = useChoices();
  const where = query.get('where');
  const searched = readConditions(where, types);
  const sort = query.get('sort') ?? '';
  const combinator = query.get('match') === 'or' ? 'or' : 'and';
  const initial = () => (searched.length > 0 ? searched : [newCondition(0)]);
  const [conditions, setConditions] = useState<readonly Condition[]>(initial);
  useEffect(() => {
    if (where === null || where === '[]') return;
    setConditions(initial());
    nextKey.current = searched.length;
  }, [where]);
  const filter = filterOf(searched, combinator, types);
  const params = {
    query: { ...(filter && { filter }), ...(sort !== '' && { sort: [{ [sort]: 'desc' }] }) },
    limit: 100,
  };
  const found = useResource<Outcome | undefined>(
    async () => (where === null ? undefined : searchRecords(id, entity.name, params)),
    [id, entity.name, where, sort, combinator],
  );
  const search = (event: Event) => {
    event.preventDefault();
    const written = writeConditions(conditions) || '[]';
    if (written === where) found.reload();
    else change({ where: written });
  };
  const set = (key: number, change: Partial<Condition>) =>
    setConditions(conditions.map((one) => (one.key === key ? { ...one, ...change } : one)));
  return (
    <>
      <search>
        <form class="panel" onSubmit={search}>
          {conditions.map((condition, index) => (
            <ConditionRow
              key={condition.key}
              condition={condition}
              fields={fields}
              types={types}
              number={index + 1}
              set={(change) => set(condition.key, change)}
              remove={
                conditions.length > 1
                  ? () => setConditions(conditions.filter(({ key }) => key !== condition.key))
                  : undefined
              }
            />
          ))}
          <div class="row">
            <button
              type="button"
              class="plain low"
              onClick={() => {
                setConditions([...conditions, newCondition(nextKey.current)]);
                nextKey.current += 1;
              }}
            >
              {texts.search.addCondition}
            </button>
            {conditions.length > 1 ? (
              <Choice
                label={texts.search.match}
                value={combinator}
                options={[
                  ['and', texts.search.all],
                  ['or', texts.search.any],
                ]}
                choose={(match) => change({ match: match === 'or' ? 'or' : '' })}
              />
            ) : null}
            <Choice
              label={texts.search.sortDown}
              value={sort}
              options={[['', texts.search.unsorted], ...fields.map((field) => [field, wordsOf(field)] as const)]}
              choose={(name) => change({ sort: name })}
            />
          </div>
          <div class="buttons">
            <button type="submit" class="primary">
              {texts.search.title}
            </button>
          </div>
          <details>
            <summary>{texts.search.params}</summary>
            <Code label="context_store_search" text={JSON.stringify(params, null, 2)} />
          </details>
        </form>
      </search>
      <div aria-live="polite">
        {found.state === 'failed' ? <ErrorNotice error={found.error} /> : null}
        {found.state === 'done' && found.data ? (
          <ResultView outcome={found.data} linkOf={(row) => recordPath(id, entity.name, row)} />
        ) : null}
      </div>
    </>
  );
}
