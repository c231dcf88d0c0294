import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.js';

/** Tests that the names used in on-demand parts exist in the manifest. */
export function testOnDemandParts({ Connector }: Subject): void {
  const { manifest } = Connector;
  const { entities, auth, settings } = Connector.describe();
  const searchFields = new Map(entities.flatMap(({ name, search }) => (search ? [[name, search] as const] : [])));

  describe.runIf(manifest.replication)('has a replication', () => {
    const load = async () => (await manifest.replication!()).replication;

    test('for searchable entities', async () => {
      const { entities: replicas } = await load();
      expect(Object.keys(replicas).filter((name) => !searchFields.has(name))).toEqual([]);
    });

    test('with keys, dates and texts that are searchable fields', async () => {
      const { entities: replicas } = await load();
      for (const [name, { key = ['id'], segments = {} }] of Object.entries(replicas)) {
        const { fields, semantic } = searchFields.get(name)!;
        const { dateTimes = [] } = manifest.entities[name]!.search!;
        expect(Object.keys(fields), name).toEqual(expect.arrayContaining([...key, ...dateTimes]));
        expect(Object.keys(semantic), name).toEqual(expect.arrayContaining(Object.keys(segments)));
      }
    });
  });

  describe.runIf(manifest.setup)('has a setup guide', () => {
    const load = async () => (await manifest.setup!()).setup;

    test('with help only for existing credentials and labels only for existing settings', async () => {
      const { help = {}, labels = {} } = await load();
      const credentials = auth.flatMap(({ mode, fields }) => fields.map(({ name }) => `${mode}.${name}`));
      expect(credentials).toEqual(expect.arrayContaining(Object.keys(help)));
      expect(settings.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(labels)));
    });

    test('with choices and inputs only for fields in replication_config', async () => {
      const { choices = {}, fields = {} } = await load();
      const config = (await manifest.replication?.())?.replication.config;
      expect(Object.keys(config?._zod.def.shape ?? {})).toEqual(
        expect.arrayContaining([...Object.keys(choices), ...Object.keys(fields)]),
      );
    });

    test('that reads only existing entities and actions', async () => {
      const { probe, doctor } = await load();
      const actions = entities.flatMap(({ name, actions: all }) => all.map((action) => `${name}.${action.name}`));
      if (probe) expect(actions).toContain(`${probe.entity}.${probe.action}`);
      const sources = Object.values(doctor?.parameters ?? {}).flatMap((source) =>
        'entity' in source ? [source.entity] : [],
      );
      const read = [...sources, ...(doctor?.identity ? [doctor.identity.entity] : [])];
      expect(entities.map(({ name }) => name)).toEqual(expect.arrayContaining(read));
    });
  });
}
