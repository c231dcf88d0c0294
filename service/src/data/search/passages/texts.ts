import { plainSegments, type Replica, type Segment } from 'agent-connectors/replication';
import type { StoredRecord } from '../../records/entity.js';
import type { FieldText } from '../../records/passages/types.js';
import type { TextsOf } from '../../records/types.js';
import { cut } from './cut.js';

/** Cuts the fields of an entity's records that are searched by meaning; a field without words has no text. */
export function textsOf({ segments = {} }: Pick<Replica, 'segments'>, fields: Iterable<string>): TextsOf {
  const names = [...fields];
  return (record) =>
    names.flatMap((field): FieldText[] => {
      if (record[field] === null || record[field] === undefined) return [];
      const cutText = cut((segments[field] ?? paragraphsOf(field))(record));
      return cutText.passages.length > 0 ? [{ field, ...cutText }] : [];
    });
}

const paragraphsOf =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    if (typeof text === 'string') return plainSegments(text);
    throw new TypeError(`The replication says of ${field}, which is no text, not what its segments are.`);
  };
