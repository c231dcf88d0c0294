import { lookUpPlace, noPlace, type Place, type RecordSource, type Statements } from '../../places.js';
import type { FieldRef } from '../../plan.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { bindable, type Connection } from './connection.js';
import { sqliteDialect, withinTime } from './dialect.js';
import { type Reader, rowMask } from './read.js';

/** Reads what the records of a connector have in common. */
export class Summaries {
  readonly #connection: Connection;
  readonly #reader: Reader;

  constructor(connection: Connection, reader: Reader) {
    this.#connection = connection;
    this.#reader = reader;
  }

  place(layout: Layout, connectorId: string, ref: FieldRef): Place {
    return this.#read(layout, connectorId, (source) => lookUpPlace(source, ref)) ?? noPlace;
  }

  /** What statements over the records of a connector come to; nothing where it has none. */
  #read<Result>(
    layout: Layout,
    connectorId: string,
    statementsOf: (source: RecordSource) => Statements<Result>,
  ): Result | undefined {
    return this.#connection.readTransaction(() => {
      const connector = this.#reader.numberOf(connectorId);
      if (connector === undefined) return undefined;
      const statements = statementsOf({
        dialect: sqliteDialect(layout),
        table: quoteIdentifier(layout.table),
        where: `(r.connector = ?1 and ${withinTime('r.rid', rowMask)})`,
        connector,
        mark: (place) => `?${place}`,
      });
      let step = statements.next();
      while (!step.done) {
        const { sql, values } = step.value;
        step = statements.next(
          this.#connection.all(
            sql,
            values.map((value) => bindable(value as string)),
          ),
        );
      }
      return step.value;
    });
  }
}
