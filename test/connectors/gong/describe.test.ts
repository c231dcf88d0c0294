import type { JsonSchema } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { expect, test } from 'vitest';
import { testContract } from '../contract.js';
import { contract, innerExtensions, innerFields, innerParameters } from './contract.js';

type Schema = JsonSchema & {
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  extension?: boolean;
};

const description = GongConnector.describe();
const words = (text = '') => text.split(' ').filter(Boolean).sort();
const actions = description.entities.flatMap(({ name, actions }) =>
  actions
    .filter(({ hosted_only }) => !hosted_only)
    .map((action): [string, Schema] => [`${name}.${action.name}`, action.params as Schema]),
);

/** Nested parameters, as dotted paths. */
const inside = ({ properties = {} }: Schema, extension: boolean, before = ''): string[] =>
  Object.entries(properties).flatMap(([name, inner]) => [
    ...inside(inner, extension, `${before}${name}.`),
    ...Object.entries(inner.properties ?? {})
      .filter(([, found]) => (found.extension ?? false) === extension)
      .map(([key]) => `${before}${name}.${key}${inner.required?.includes(key) ? '' : '?'}`),
  ]);

testContract(description, contract);

test('the connector has its published name, title and definition id', () => {
  expect(description).toMatchObject({
    name: 'gong',
    title: 'Gong',
    definition_id: '32382e40-3b49-4b99-9c5c-4076501914e7',
  });
});

test('the connector accepts a key with its secret, or an OAuth application, each with a base URL', () => {
  const modes = description.auth.map(({ fields }) =>
    fields.map(({ name, required, secret }) => `${name}${required ? '' : '?'}${secret ? ' secret' : ''}`),
  );
  expect(modes).toEqual([
    ['access_key', 'access_key_secret secret', 'base_url?'],
    ['client_id', 'client_secret secret', 'refresh_token secret', 'access_token? secret', 'base_url?'],
  ]);
});

test.each(actions)("%s accepts the contract's parameters inside filter and contentSelector too", (where, params) => {
  expect(inside(params, false).sort()).toEqual(words(innerParameters[where]));
  expect(inside(params, true).sort()).toEqual(words(innerExtensions[where]));
});

test.each(Object.entries(innerFields))("%s has the contract's fields inside its objects too", (name, fields) => {
  const record = description.entities.find((entity) => entity.name === name)!.record as Schema;
  for (const [field, promised] of Object.entries(fields)) {
    const form = record.properties![field]!.anyOf!.find(({ type }) => type !== 'null')!;
    expect(Object.keys((form.items ?? form).properties!).sort()).toEqual(words(promised));
  }
});

test('search declares the call id as a number, as in the contract', () => {
  const { search } = description.entities.find(({ name }) => name === 'calls_extensive')!;
  expect(search!.fields.id).toBe('integer');
});
