import type { Position, SearchPlan } from '../plan.js';
import type { Layout } from '../schema.js';
import type { IdentifiedRecord, StoredRecord, Written } from '../types.js';

/** What a driver found for one page. */
export interface FoundPage {
  readonly records: StoredRecord[];
  readonly last: Position | null;
  readonly more: boolean;
}

/** One kind of database, as the store uses it; parameters have been checked before. */
export interface Driver {
  /** Writes a batch whole or not at all. */
  write(layout: Layout, connectorId: string, records: readonly StoredRecord[]): Promise<Written>;
  remove(layout: Layout, connectorId: string, ids: readonly string[]): Promise<number>;
  removeConnector(connectorId: string): Promise<number>;
  search(layout: Layout, connectorId: string, plan: SearchPlan): Promise<FoundPage>;
  get(layout: Layout, connectorId: string, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  count(layout: Layout, connectorId: string): Promise<number>;
  /** Ids behind `after`, in order. */
  ids(layout: Layout, connectorId: string, after: string, limit: number): Promise<string[]>;
  /** Records behind `after`, in the order of their ids. */
  records(layout: Layout, connectorId: string, after: string, limit: number): Promise<IdentifiedRecord[]>;
  connectors(): Promise<string[]>;
  close(): Promise<void>;
}
