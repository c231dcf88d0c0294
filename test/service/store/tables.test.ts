import { expect, it } from 'vitest';
import { exportTables } from '../../../service/src/data/records/index.js';
import { kinds } from './fixtures.js';

it.each(kinds)(
  'tables have the same columns in each line, and one type in each column, in %s',
  async (_, open) => {
    const entity = {
      type: 'shop',
      entity: 'orders',
      fields: { id: 'string', total: 'integer', price: 'number', paidAt: 'string', state: 'object' },
      dateTimes: ['paidAt'],
      key: ['id'],
    } as const;
    const store = await open([entity]);
    const collection = { connectorId: 'con_1', type: 'shop', entity: 'orders' };
    await store.write(collection, [
      { id: 'a', total: '9007199254740993', price: 1.5, paidAt: '2026-03-01T10:30:00+02:00', state: { name: 'x' } },
      { id: 'b', total: 7, price: 2, paidAt: '2026-03-01' },
      { id: 'c', paidAt: '2026-03-01T10:30:00.1234567Z' },
      { id: 'd', paidAt: 'soon' },
    ]);
    const lines: string[] = [];
    for await (const { table, line } of exportTables(store)) {
      expect(table).toBe('shop.orders');
      lines.push(line);
    }
    expect(lines.sort()).toEqual([
      '{"connector_id":"con_1","id":"a","total":9007199254740993,"price":1.5,"paidAt":"2026-03-01T08:30:00.000000Z","state":{"name":"x"}}',
      '{"connector_id":"con_1","id":"b","total":7,"price":2,"paidAt":"2026-03-01T00:00:00.000000Z","state":null}',
      '{"connector_id":"con_1","id":"c","total":null,"price":null,"paidAt":"2026-03-01T10:30:00.123456Z","state":null}',
      '{"connector_id":"con_1","id":"d","total":null,"price":null,"paidAt":null,"state":null}',
    ]);
  },
  600_000,
);
