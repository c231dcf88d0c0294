import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { expect, test } from 'vitest';
import { testContract } from '../contract.js';
import { contract } from './contract.js';

const description = GoogleDriveConnector.describe();

testContract(description, contract);

test('the connector has its published name, title and definition id', () => {
  expect(description).toMatchObject({
    name: 'google-drive',
    title: 'Google Drive',
    definition_id: '9f8dda77-1048-4368-815b-269bf54ee9b8',
  });
  const modes = description.auth.map(({ fields }) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)),
  );
  expect(modes).toEqual([
    ['client_id', 'client_secret', 'refresh_token', 'access_token?'],
    ['credentials_json', 'subject?', 'scopes?'],
    ['access_token'],
  ]);
});

test('descriptions say which links are not downloads, and that the list of revisions may be incomplete', () => {
  const entity = (name: string) => description.entities.find((found) => found.name === name)!;
  const { properties } = entity('files').record as { properties: Record<string, { description: string }> };
  expect(properties.webContentLink!.description).toContain('not for API downloads');
  expect(properties.thumbnailLink!.description).toContain('Expires after a few hours');
  expect(entity('revisions').description).toContain('may be incomplete');
});
