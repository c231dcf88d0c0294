import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseCount } from '../cases.js';
import { fakeFetch, json } from './fake-fetch.js';
import { ShelfConnector } from './shelf.js';

const names = fc.oneof(
  fc.constantFrom('id', 'title', 'query', 'semantic', 'filter', 'eq', 'and', 'not', 'sort', 'limit', 'first', 'fields'),
  fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'title.x', 'author.name', 'teamId'),
  fc.string({ maxLength: 5 }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.double(),
    fc.integer({ min: -1, max: 300 }),
    fc.boolean(),
    fc.constantFrom(null, undefined, 'asc', 'description', 'blurb'),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(names, tie('tree'), { maxKeys: 4 }),
  ),
}));

const actions = [LinearConnector, ShelfConnector].flatMap((Class) =>
  Class.describe().entities.flatMap(({ name, actions }) =>
    actions.map((action): [typeof Class.name, string, string] => [Class.describe().name, name, action.name]),
  ),
);

describe('any JSON passed as parameters', () => {
  it('fails with a ConnectorError or succeeds, and sends nothing if it is invalid', async () => {
    const { fetch, sent } = fakeFetch(() => json({ data: {}, books: [] }));
    const made: Record<string, any> = {
      linear: new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch }),
      shelf: new ShelfConnector({ credentials: { api_key: 'shelf_key_0123456789' }, fetch }),
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...actions), tree, async ([name, entity, action], params) => {
        const before = sent.length;
        const error = await made[name].execute(entity, action, params).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error === undefined || ConnectorError.is(error)).toBe(true);
        if (error?.code !== 'invalid_params') return;
        expect(sent).toHaveLength(before);
        for (const issue of error.issues) expect(typeof issue.path === 'string' && issue.message !== '').toBe(true);
        expect(JSON.parse(JSON.stringify(error)).code).toBe('invalid_params');
      }),
      { numRuns: caseCount(400) },
    );
  });

  it('suggests the intended parameter if one letter is wrong', async () => {
    const connector = new LinearConnector({ transport: async () => ({ data: {}, meta: {} }) }) as any;
    const valid = ['description', 'stateId', 'priority', 'projectId', 'assigneeId'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...valid),
        fc.nat(4),
        fc.constantFrom('x', 'z', ''),
        async (name, at, letter) => {
          const wrong = name.slice(0, at) + letter + name.slice(at + 1);
          const error = await connector
            .execute('issues', 'update', { id: '1', [wrong]: 'x' })
            .catch((thrown: unknown) => thrown);
          expect(error.message).toContain(`Did you mean '${name}'?`);
        },
      ),
    );
  });
});
