import type { Row } from './rows.js';

/** The rows of a type, in order of creation. */
export class Table<Stored extends Row> {
  /** Increases with every change, to invalidate derived data. */
  version = 0;
  private readonly rows: Stored[] = [];
  private readonly byId = new Map<string, Stored>();
  private readonly groups = new Map<keyof Stored, { version: number; groups: Map<unknown, Stored[]> }>();

  get size(): number {
    return this.rows.length;
  }

  all(): readonly Stored[] {
    return this.rows;
  }

  get(id: string | null | undefined): Stored | undefined {
    return id == null ? undefined : this.byId.get(id);
  }

  insert(row: Stored): Stored {
    this.rows.push(row);
    this.byId.set(row.id, row);
    this.version += 1;
    return row;
  }

  change(row: Stored, changes: Partial<Stored>): Stored {
    Object.assign(row, changes);
    this.version += 1;
    return row;
  }

  remove(row: Stored): Stored {
    this.rows.splice(this.rows.indexOf(row), 1);
    this.byId.delete(row.id);
    this.version += 1;
    return row;
  }

  /** The rows with a given field value. */
  where<Field extends keyof Stored>(field: Field, value: Stored[Field]): readonly Stored[] {
    let index = this.groups.get(field);
    if (index?.version !== this.version) {
      index = { version: this.version, groups: new Map() };
      for (const row of this.rows) {
        const group = index.groups.get(row[field]);
        if (group) group.push(row);
        else index.groups.set(row[field], [row]);
      }
      this.groups.set(field, index);
    }
    return index.groups.get(value) ?? [];
  }
}
