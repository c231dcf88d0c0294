import type { Connection } from '../../../sqlite.js';
import type { EmbeddedPassage, StoredText } from '../../passages/types.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { type PackedVector, unpack } from '../vectors/packed.js';
import type { PassageReader } from './passage-reader.js';

/** Reads stored vectors and their texts for export. */
export class StoredVectors {
  readonly #connection: Connection;
  readonly #passages: PassageReader;

  constructor(connection: Connection, passages: PassageReader) {
    this.#connection = connection;
    this.#passages = passages;
  }

  texts(layout: Layout, connectorId: string, ids: readonly string[]): StoredText[] {
    return this.#connection.readTransaction(() =>
      layout.semantic.flatMap(({ field: name }) => {
        const field = this.#passages.field(layout, connectorId, name);
        if (!field) return [];
        const rows = this.#connection.all<{ record: string; digest: string; passages: string }>(
          `select r.id as record, t.digest,
              (select json_group_array(passage) from (
                select passage from passages where field = t.field and rid = t.rid order by "start", passage)) as passages
            from ${quoteIdentifier(layout.table)} r join passage_texts t on t.rid = r.rid and t.field = ?
            where r.connector = ? and r.id in (select value from json_each(?))`,
          [field.number, field.connector, JSON.stringify(ids)],
        );
        return rows.map(({ record, digest, passages }) => ({
          record,
          field: name,
          digest,
          passages: JSON.parse(passages) as number[],
        }));
      }),
    );
  }

  vectors(passages: readonly number[]): EmbeddedPassage[] {
    const rows = this.#connection.all<PackedVector & { passage: number; embedder: string }>(
      `select v.passage, e.id as embedder, v.scale, v.coarse, v.fine from vectors v join embedders e on e.number = v.embedder
        where v.passage in (select value from json_each(?))`,
      [JSON.stringify(passages)],
    );
    return rows.map(({ passage, embedder, ...vector }) => ({ passage, embedder, vector: unpack(vector) }));
  }

  countUnembedded(embedder: string): number {
    const sum = this.#connection.get<{ waiting: number | null }>(
      `select sum(f.passages - coalesce(e.passages, 0)) as waiting from passage_fields f
        left join embedded e on e.field = f.number and e.embedder = (select number from embedders where id = ?)`,
      [embedder],
    );
    return sum?.waiting ?? 0;
  }

  dimensions(embedder: string): number | undefined {
    return this.#connection.get<{ dimensions: number }>('select dimensions from embedders where id = ?', [embedder])
      ?.dimensions;
  }
}
