import { describe, expect, test } from 'vitest';
import { outcomeOf } from './outcome.js';
import { pairOf } from './pair.js';
import type { ParitySubject } from './subject.js';
import { subjects } from './subjects/index.js';

const searchesOf = ({ Connector }: ParitySubject) =>
  Connector.describe().entities.flatMap(({ name, actions }) =>
    actions.filter(({ hosted_only }) => hosted_only).map((action) => [name, action.name] as const),
  );

test('there are 22 searches', () => {
  const all = subjects.flatMap(([, subject]) => searchesOf(subject));
  expect(all.map(([, action]) => action)).toEqual(Array.from({ length: 22 }, () => 'context_store_search'));
});

describe.each(subjects)('%s searches', (name, subject) => {
  test('are rejected without a service; with one, the response reports search readiness', async () => {
    const { local, hosted } = await pairOf(subject);
    for (const [entity, action] of searchesOf(subject)) {
      const direct = await outcomeOf(() => local.connector.execute(entity, action, { query: {} }));
      expect(direct.error, entity).toMatchObject({ code: 'hosted_only', docs: 'search', retryable: false });
      const { data, meta } = await hosted.connector.execute(entity, action, { query: {} });
      expect(data, entity).toEqual([]);
      expect(meta, entity).toMatchObject({ has_more: false, cursor: null });
      expect(meta.took_ms, entity).toEqual(expect.any(Number));
      expect(meta.readiness, entity).toMatchObject({ ready_for_search: false, status: expect.any(String) });
    }
    expect(hosted.sandbox.requests).toEqual([]);
    expect(local.sandbox.requests).toEqual([]);
  });

  test('are validated before anything else, in both modes and on the wire', async () => {
    const { local, hosted, client, connectorId } = await pairOf(subject);
    for (const [entity, action] of searchesOf(subject)) {
      const params = { query: { filter: { eq: { nonexistent: 1 } } }, limit: 0 };
      const direct = await outcomeOf(() => local.connector.execute(entity, action, params));
      expect(direct.error, entity).toMatchObject({ code: 'invalid_params' });
      expect(await outcomeOf(() => hosted.connector.execute(entity, action, params))).toStrictEqual(direct);
      const onTheWire = await outcomeOf(async () => {
        const { result } = await client.connectors.execute(connectorId, { entity, action, params });
        return { data: result, meta: {} };
      });
      expect(onTheWire, `${name} ${entity}`).toStrictEqual(direct);
    }
  });
});
