import { GoogleAnalyticsConnector, reports } from 'agent-connectors/google-analytics';
import { expect, test } from 'vitest';
import { testContract } from '../contract.js';
import { columns, contract } from './contract.js';

interface Schema {
  readonly properties: Record<string, Schema>;
  readonly items: Schema;
  readonly required?: readonly string[];
  readonly extension?: boolean;
}

const description = GoogleAnalyticsConnector.describe();

testContract(description, contract);

test('the connector has its published name, title and definition id', () => {
  expect(description).toMatchObject({
    name: 'google-analytics',
    title: 'Google Analytics',
    definition_id: '3cc2eafd-84aa-4dca-93af-322d9dfeec1a',
  });
  const modes = description.auth.map(({ fields }) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)),
  );
  expect(modes).toEqual([['client_id', 'client_secret', 'refresh_token', 'access_token?'], ['credentials_json']]);
});

test("ranges and columns have the contract's names, with Google's additional ones as extensions", () => {
  const named = ({ items }: Schema) =>
    Object.entries(items.properties).map(([name, { extension }]) => {
      const optional = items.required?.includes(name) ? '' : '?';
      return `${extension ? '+' : ''}${name}${optional}`;
    });
  for (const { name, actions } of description.entities) {
    const { properties } = actions.find((found) => found.name === 'list')!.params as unknown as Schema;
    expect(named(properties.dateRanges!), name).toEqual(['startDate', 'endDate', '+name?']);
    expect(named(properties.dimensions!), name).toEqual(['name', '+dimensionExpression?']);
    expect(named(properties.metrics!), name).toEqual(['name', '+expression?', '+invisible?']);
  }
});

test("each report's columns match its description and searchable fields", () => {
  const known = Object.entries(reports).map(([name, { dimensions, metrics }]) => [
    name,
    [dimensions.map((column) => column.name), metrics.map((column) => column.name)],
  ]);
  expect(Object.fromEntries(known)).toEqual(columns);
  for (const { name, actions, search } of description.entities) {
    const [dimensions, metrics] = columns[name]!;
    const { properties } = actions.find((found) => found.name === 'list')!.params as {
      properties: Record<string, { description: string }>;
    };
    expect(properties.dimensions!.description).toContain(`${dimensions.join(', ')}.`);
    expect(properties.metrics!.description).toContain(`${metrics.join(', ')}.`);
    const period = ['property_id', 'startDate', 'endDate'];
    expect(Object.keys(search!.fields).sort(), name).toEqual([...period, ...dimensions, ...metrics].sort());
  }
});
