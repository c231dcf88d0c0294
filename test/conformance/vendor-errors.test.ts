import { readdirSync } from 'node:fs';
import { ConnectorError } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, test } from 'vitest';
import type { VendorError } from '../../src/http/fault.js';
import { failure } from '../failure.js';

/** One call of each connector, without retries. */
const calls: Readonly<Record<string, (sandbox: Sandbox) => Promise<unknown>>> = {
  gong: ({ fetch, vendors }) =>
    new GongConnector({ credentials: vendors.gong.credentials.basic, fetch, retries: 0 }).calls.get({ id: '1' }),
  'google-analytics': ({ fetch, vendors }) => {
    const { credentials, properties } = vendors['google-analytics'];
    const analytics = new GoogleAnalyticsConnector({ credentials: credentials.oauth, fetch, retries: 0 });
    return analytics.pages.list({ property_id: properties.website });
  },
  'google-drive': ({ fetch, vendors }) =>
    new GoogleDriveConnector({
      credentials: vendors['google-drive'].credentials.access_token,
      fetch,
      retries: 0,
    }).about.get(),
  granola: ({ fetch, vendors }) =>
    new GranolaConnector({ credentials: vendors.granola.credentials.api_key, fetch, retries: 0 }).notes.list(),
  linear: ({ fetch, vendors }) =>
    new LinearConnector({ credentials: vendors.linear.credentials.api_key, fetch, retries: 0 }).users.list(),
};

/** The errors of a call for every reason that the emulated vendor has to refuse it. */
async function refusalsOf(name: string): Promise<ConnectorError[]> {
  const { refusals } = createSandbox().vendors[name as 'gong'];
  return Promise.all(
    refusals.map((reason) => {
      const sandbox = createSandbox();
      // Rate limits that last longer than the call are reported immediately. Tokens have paths of their own.
      const rule = { kind: 'refused', reason, retryAfter: 600, count: Number.POSITIVE_INFINITY } as const;
      for (const path of ['/v1', '/v2', '/drive', '/graphql']) sandbox.faults.add({ ...rule, path });
      return failure(calls[name]!(sandbox));
    }),
  );
}

const names = readdirSync('connectors', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

describe.each(names)('the emulated vendor of %s', (name) => {
  let declared: readonly VendorError[];
  let errors: ConnectorError[];
  beforeAll(async () => {
    ({ vendorErrors: declared } = await import(`../../connectors/${name}/faults.ts`));
    errors = await refusalsOf(name);
  });

  test('produces every error that the connector declares, which gets its code', () => {
    const isProduced = ([id, code]: VendorError) =>
      errors.some(
        (error) =>
          error.code === code &&
          (typeof id === 'string' ? error.vendor?.code === id : id.test(error.vendor?.message ?? '')),
      );
    expect(declared.length).toBeGreaterThan(0);
    expect(declared.filter((error) => !isProduced(error))).toEqual([]);
  });

  test('refuses each time with an error in its own format', () => {
    expect(errors.filter((error) => !ConnectorError.is(error) || error.vendor?.message === undefined)).toEqual([]);
  });
});
