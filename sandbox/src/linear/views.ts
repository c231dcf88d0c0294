import type { Row } from './rows.js';

/** A sorted, filtered list with the index of each row. */
export interface View<Stored extends Row = Row> {
  version: number;
  rows: readonly Stored[];
  /** Index of the row with this id, or -1. */
  indexOf(id: string): number;
}

const maxCachedViews = 64;

/** Cached lists: paging through ten thousand rows sorts and filters them only once. */
export class Views {
  private readonly views = new Map<string, View>();

  get<Stored extends Row>(key: string, version: number, compute: () => readonly Stored[]): View<Stored> {
    const cached = this.views.get(key);
    if (cached?.version === version) return cached as View<Stored>;
    const rows = compute();
    let indexes: Map<string, number> | undefined;
    const view: View<Stored> = {
      version,
      rows,
      indexOf(id) {
        indexes ??= new Map(rows.map((row, index) => [row.id, index]));
        return indexes.get(id) ?? -1;
      },
    };
    this.views.delete(key);
    this.views.set(key, view as unknown as View);
    if (this.views.size > maxCachedViews) this.views.delete(this.views.keys().next().value!);
    return view;
  }
}
