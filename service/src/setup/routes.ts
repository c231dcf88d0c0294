import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import { typeNamed, typeNames } from '../connectors/definitions.js';
import { absent, fieldError } from '../http/errors.js';
import { type Route, route } from '../http/route.js';
import { invalid } from '../http/validate.js';
import type { SetupParts } from './parts.js';

const label = (description: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), 'must not hold control characters')
    .describe(description);

/** Body that begins a setup. */
const NewSetupRequest = z.strictObject({
  workspace_name: label('The workspace that the connector is to live in.'),
  name: label('The connector’s name, unique in the workspace.'),
  connector_type: z.string().min(1).max(200).optional().describe('Type name; the person chooses when it is left out.'),
});

const SetupBegun = z.object({
  setup_url: z.string().describe('The address that a person opens in a browser; it can be used once.'),
  setup_id: z.string(),
  expires_at: z.iso.datetime(),
});

const SetupAnswer = z.object({
  status: z.enum(['pending', 'done', 'expired', 'failed']),
  connector_id: z.string().optional().describe('The connector, once the setup is done.'),
  error: z.string().optional().describe('Why it has failed.'),
});

async function typeIn(name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  const type = await typeNamed(name);
  if (type !== undefined) return type;
  const message = `is not a type of connector. ${suggestion(name, typeNames, 'names')}`.slice(0, -1);
  throw invalid('The request', [fieldError('connector_type', message)]);
}

/** Beginning a setup, and asking what became of it. */
export function setupRoutes({ state, setups, address }: Pick<SetupParts, 'state' | 'setups' | 'address'>): Route[] {
  const path = '/api/v1/integrations/connectors/setup';
  return [
    route({
      method: 'POST',
      path,
      operationId: 'beginSetup',
      summary: 'Begin a setup: gives an address at which a person connects an account, within 30 minutes.',
      access: 'organization',
      body: NewSetupRequest,
      answer: SetupBegun,
      errors: [404, 409],
      async handle({ body: { workspace_name, name, connector_type }, scope, caller }) {
        const type = await typeIn(connector_type);
        const workspace = state.workspaces.find(scope, workspace_name);
        if (!workspace) throw absent(`workspace '${workspace_name}'`);
        const { row, token } = setups.begin(scope, {
          ...{ workspaceId: workspace.id, clientId: caller.client.id, name, type },
        });
        return {
          setup_url: `${address.url}/setup/${token}`,
          setup_id: row.id,
          expires_at: new Date(row.expiresAt).toISOString(),
        };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/{setup_id}`,
      operationId: 'getSetup',
      summary: 'What became of a setup.',
      access: 'organization',
      answer: SetupAnswer,
      errors: [404],
      handle({ params: { setup_id = '' }, scope }) {
        const row = setups.get(scope, setup_id);
        if (!row) throw absent(`setup '${setup_id.slice(0, 100)}'`);
        const { status, connectorId, error } = row;
        return {
          status,
          ...(status === 'done' && connectorId !== null && { connector_id: connectorId }),
          ...(error !== null && { error }),
        };
      },
    }),
  ];
}
