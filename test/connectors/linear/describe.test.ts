import { LinearConnector } from 'agent-connectors/linear';
import { expect, test } from 'vitest';
import { testContract } from '../contract.js';
import { contract } from './contract.js';

type Schema = { properties?: Record<string, Schema>; maximum?: number; enum?: string[] };

const description = LinearConnector.describe();
const entity = (name: string) => description.entities.find((found) => found.name === name)!;
const action = (of: string, name: string) => entity(of).actions.find((found) => found.name === name)!;

test('the connector has its published name, title and definition id', () => {
  expect(description).toMatchObject({
    name: 'linear',
    title: 'Linear',
    definition_id: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
  });
  const modes = description.auth.map(({ fields }) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)),
  );
  expect(modes).toEqual([
    ['api_key'],
    ['access_token'],
    ['client_id', 'client_secret', 'refresh_token', 'access_token?'],
  ]);
});

testContract(description, contract);

test('pagination, limits and enumerations match the contract', () => {
  for (const { name, actions } of description.entities) {
    for (const found of actions) {
      expect(found.paginated, `${name}.${found.name}`).toBe(['list', 'context_store_search'].includes(found.name));
      if (found.name === 'list') expect((found.params as Schema).properties!.first!.maximum).toBe(250);
    }
  }
  const states = ['backlog', 'planned', 'started', 'paused', 'completed', 'canceled'];
  for (const name of ['create', 'update']) {
    expect((action('projects', name).params as Schema).properties!.state!.enum).toEqual(states);
    expect((action('issues', name).params as Schema).properties!.priority).toMatchObject({ minimum: 0, maximum: 4 });
  }
});

test('effects match what the actions do', () => {
  const effects = description.entities.flatMap(({ actions }) => actions.map(({ name, effect }) => `${name} ${effect}`));
  expect([...new Set(effects)].sort()).toEqual([
    'context_store_search read',
    'create write',
    'get read',
    'list read',
    'update write',
  ]);
});
