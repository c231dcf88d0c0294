import { GranolaConnector } from 'agent-connectors/granola';
import { expect, test } from 'vitest';
import { testContract } from '../contract.js';
import { contract } from './contract.js';

const description = GranolaConnector.describe();

testContract(description, contract);

test('the connector has its published name, title and definition id', () => {
  expect(description).toMatchObject({
    name: 'granola',
    title: 'Granola',
    definition_id: '9023923c-002f-4131-9554-3ebdf56540a4',
  });
  expect(description.auth.map(({ fields }) => fields.map(({ name }) => name))).toEqual([['api_key']]);
});
