import { markdownSegments, type Segment, type StoredRecord } from '../../../src/authoring.js';

/** The pieces of a field that holds Markdown. */
export const markdown =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    return typeof text === 'string' ? markdownSegments(text) : [];
  };
