import { referenceMark } from '../../schema.js';
import { termIn } from '../../words.js';
import type { Connection } from './connection.js';

/** Whether a text that was read is the reference to one in the object store. */
export const isReference = (text: string): boolean => text.includes(referenceMark);

/** A part of a text; of one in the object store the reference. */
export const partOf = (body: string, start: string, length: string): string =>
  `case when instr(${body}, char(1, 4)) > 0 then ${body} else substr(${body}, ${start}, ${length}) end`;

/** How often tokens occur in passages of a field, by the index alone. */
export function countTokens(
  connection: Connection,
  field: number,
  tokens: readonly string[],
  passages: readonly number[],
): Map<number, Array<readonly [string, number]>> {
  const counts = new Map(passages.map((passage) => [passage, [] as Array<readonly [string, number]>]));
  if (passages.length === 0) return counts;
  const queryOnly = connection.get<{ query_only: number }>('pragma query_only')?.query_only;
  // Readers may make no tables, not even temporary ones.
  connection.exec(`
    pragma query_only = off;
    create virtual table if not exists temp.passage_instances using fts5vocab(main, 'passage_words', 'instance');
    pragma query_only = ${queryOnly ? 'on' : 'off'}`);
  for (const token of tokens) {
    const rows = connection.all<{ passage: number; count: number }>(
      `select doc as passage, count(*) as count from temp.passage_instances
        where term = ? and +doc in (select value from json_each(?)) group by doc`,
      [termIn(field, token), JSON.stringify(passages)],
    );
    for (const { passage, count } of rows) counts.get(passage)?.push([token, count]);
  }
  return counts;
}
