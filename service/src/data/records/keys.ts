import type { Manifest } from 'agent-connectors';
import { type Replication, recordPaths } from 'agent-connectors/replication';
import { type Searchable, type FieldType as SearchedType, searchable } from 'agent-connectors/search';
import type { FieldType, StoredEntity } from './entity.js';

/**
 * The entities to store for a connector: those its manifest makes searchable, with the keys declared by its
 * replication.
 */
export function entitiesOf({ name: type, entities }: Manifest, replication: Replication | undefined): StoredEntity[] {
  return Object.entries(entities).flatMap(([entity, { search, actions }]) => {
    if (!search) return [];
    const fields = Object.fromEntries(
      Object.entries(search.fields).flatMap(([kind, names]) =>
        (names ?? []).map((field): [string, FieldType] => [field, kind as FieldType]),
      ),
    );
    const { key = ['id'] } = replication?.entities[entity] ?? {};
    const known = recordPaths({ actions }).filter((path) => fields[path.split('.')[0]!] === 'object');
    return [
      {
        type,
        entity,
        fields,
        dateTimes: search.dateTimes ?? [],
        compactDates: search.compactDates,
        key,
        known,
        semantic: Object.keys(search.semantic ?? {}),
        readers: replication?.access?.readers[entity],
        about: search.about?.of === undefined ? search.about : undefined,
      },
    ];
  });
}

/** What can be searched in a stored entity. */
export function searchableIn(stored: StoredEntity): Searchable {
  const { fields, dateTimes, compactDates, known = [], semantic = [], about } = stored;
  const types = Object.entries(fields).map(([name, type]): [string, SearchedType] => [
    name,
    dateTimes.includes(name) ? 'date-time' : type,
  ]);
  const namesIn = (field: string) =>
    known.flatMap((path) => (path.startsWith(`${field}.`) ? [path.slice(field.length + 1)] : []));
  return searchable({
    types: new Map(types),
    namesIn,
    compactDates,
    semantic,
    about: [...(about?.title ?? []), ...(about?.words ?? [])],
  });
}
