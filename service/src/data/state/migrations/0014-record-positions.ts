import { isOrganization, type Migration, ownedBy, required, restrictRows } from './types.js';

/** Up to where the changes of an entity's records have been added to an endpoint's messages. */
export const recordPositions: Migration = {
  version: 14,
  name: 'record positions',
  async up(schema) {
    const { createTable, text } = schema;
    await createTable('record_positions')
      .addColumn('webhook_id', text, ownedBy('webhooks.id'))
      .addColumn('organization_id', text, ownedBy('organizations.id'))
      .addColumn('connector_id', text, ownedBy('connectors.id'))
      .addColumn('entity', text, required)
      .addColumn('cursor', text, required)
      .addPrimaryKeyConstraint('record_positions_pkey', ['webhook_id', 'connector_id', 'entity'])
      .execute();
    await restrictRows(schema, 'record_positions', isOrganization('organization_id'));
  },
};
