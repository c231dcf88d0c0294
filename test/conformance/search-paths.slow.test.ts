import { connectors, type Manifest } from 'agent-connectors';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from '../service/replication/setup.js';

const credentialsModes = {
  gong: 'basic',
  'google-analytics': 'oauth',
  'google-drive': 'oauth',
  granola: 'api_key',
  linear: 'api_key',
} as const;
const replicationConfigs: Record<string, object> = {
  gong: { start_date: '2026-11-10' },
  'google-analytics': { property_ids: ['320200001'], start_date: '2026-11-10' },
};

/** The replicated records of each searchable entity, and what an agent sees of them. */
async function replicated(name: keyof typeof credentialsModes) {
  const { acme, sandbox } = await startReplicatingService({ sandbox: createSandbox({ seed: 7, scale: 0.3 }) });
  const credentials = (sandbox.vendors[name].credentials as unknown as Record<string, object>)[credentialsModes[name]]!;
  const replication_config = replicationConfigs[name];
  const id = await acme.connect(name, credentials, replication_config && { replication_config });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });
  const Class = (await connectors[name]()) as unknown as {
    readonly manifest: Manifest;
    describe(): { entities: ReadonlyArray<any> };
  };
  const searchable = Class.describe().entities.filter(({ search }) => search);
  return Promise.all(
    searchable.map(async ({ name: entity, search, actions }) => ({
      entity,
      fields: Object.entries<string>(search.fields),
      concise: (actions.find(({ hosted_only }: any) => hosted_only).concise ?? []) as string[],
      records: hitsOf(await searchEntity(acme, id, entity)),
      run: (params: object) => searchEntity(acme, id, entity, params),
    })),
  );
}

/** Whether a dotted path, which may pass through lists, leads to a value. */
function hasValue(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => hasValue(item, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return value !== null && value !== undefined;
  return typeof value === 'object' && value !== null && hasValue((value as Record<string, unknown>)[name], rest);
}

const names = Object.keys(credentialsModes) as Array<keyof typeof credentialsModes>;

test('covers every connector', () => {
  expect(names).toEqual(Object.keys(connectors).sort());
});

test.each(names)(
  'paths in the concise view and in the errors of %s searches exist in replicated records',
  async (name) => {
    for (const { entity, fields, concise, records, run } of await replicated(name)) {
      const missing = concise.filter((path) => {
        const parts = path.split('.');
        const withRoot = records.filter((record) => hasValue(record, parts.slice(0, 1)));
        return withRoot.length > 0 && !withRoot.some((record) => hasValue(record, parts));
      });
      expect(missing, entity).toEqual([]);

      for (const [field] of fields.filter(([, type]) => type === 'object')) {
        const grouped = (await run({ query: { groupBy: field } })).body.message;
        const compared = (await run({ query: { filter: { eq: { [field]: 'x' } } } })).body.message;
        const path = /Specify an inner field: "(.+)"\.$/.exec(grouped)?.[1];
        const filter = /Specify an inner field: (\{.+\})\.$/.exec(compared)?.[1];
        const search = / is an object\. Specify an inner field; to see them, search with (\{.+\})\.$/;
        const suggested = path
          ? [{ query: { groupBy: path } }, { query: { filter: JSON.parse(filter!) } }]
          : [grouped, compared].map((message) => JSON.parse(search.exec(message)![1]!));
        for (const params of suggested) {
          const { status, body } = await run(params);
          expect([status, body.message], `${entity} ${JSON.stringify(params)}`).toEqual([200, undefined]);
        }
      }
    }
  },
);
