import type { StoredRecord } from '../entity.js';
import type { Column, Layout } from '../schema.js';
import { digest, storable } from '../values.js';
import type { FieldText } from './types.js';

/** A text as it is kept beside the records: as many code points, none of which a database refuses. */
const keptText = (text: string): string =>
  // Every half of a surrogate pair becomes a character of its own.
  Buffer.from(text.replaceAll('\u0000', '\ufffd')).toString();

/** A text that is searched by meaning, as a record's row in the tables has it. */
export interface PlacedText {
  readonly column: Column;
  readonly text: string;
  /** Whether the record's own column holds the text, so that it need not be kept a second time. */
  readonly inColumn: boolean;
  readonly passages: FieldText['passages'];
  /** Tells whether anything of it differs from before. */
  readonly digest: string;
}

/** The texts of a record by the columns of their fields; fields without passages are left out. */
export function placedTexts(layout: Layout, record: StoredRecord, texts: readonly FieldText[]): PlacedText[] {
  return texts.flatMap(({ field, text, passages }) => {
    const column = layout.semantic.find((one) => one.field === field);
    if (!column) throw new Error(`${layout.type}.${layout.entity} is not searched by the meaning of '${field}'.`);
    if (passages.length === 0) return [];
    const inColumn = column.kind === 'string' && record[field] === text && storable(text) === text;
    const kept = inColumn ? text : keptText(text);
    return [{ column, text: kept, inColumn, passages, digest: digest(JSON.stringify([inColumn, kept, passages])) }];
  });
}

/** Cuts parts out of a text by places in code points. */
export function slicer(text: string): (start: number, end: number) => string {
  if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
  const points = [...text];
  return (start, end) => points.slice(start, end).join('');
}
