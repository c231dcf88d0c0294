import { ConnectorError, type MismatchEvent } from 'agent-connectors';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { subjects } from '../parity/subjects/index.js';
import { type RecordedBody, recordedBodies, responseOf, vendors } from './bodies.js';

/** Runs the call against the responses, with credentials for the sandbox. */
async function replay(connector: string, { call: [entity, action, params], replies }: RecordedBody) {
  const { Connector, credentials } = subjects.find(([name]) => name === connector)![1];
  let count = 0;
  const fetch = async () => responseOf(replies[count++]!);
  const mismatches: MismatchEvent[] = [];
  const hooks = { onResponseMismatch: (event: MismatchEvent) => void mismatches.push(event) };
  const instance = new Connector({ credentials: credentials(createSandbox()), fetch, hooks, retries: 0 });
  const outcome = await instance.execute(entity, action, params).then(
    ({ data }) => ({ data, error: undefined }),
    (error: unknown) => ({ data: undefined, error }),
  );
  return { ...outcome, mismatches, requestCount: count };
}

/** Number of records in a response, wherever its list is. */
const recordsIn = ({ replies, records }: RecordedBody): number => {
  if (records !== undefined) return records;
  const body = replies[0]!.body as Record<string, unknown>;
  return Object.values(body).find(Array.isArray)?.length ?? 0;
};

describe.each(vendors.filter((vendor) => recordedBodies(vendor).length > 0))(
  'recorded responses of %s',
  (connector) => {
    test.each(recordedBodies(connector).map((body) => [body.name, body] as const))('%s', async (_, body) => {
      const { data, error, mismatches, requestCount } = await replay(connector, body);
      expect(requestCount).toBe(body.replies.length);
      expect(mismatches.flatMap((event) => event.mismatches.map(({ path }) => path))).toEqual(body.lacks ?? []);
      if (body.error) {
        expect(error).toMatchObject(body.error);
        expect(ConnectorError.is(error)).toBe(true);
        if (body.hint) expect((error as ConnectorError).hint).toContain(body.hint);
      } else {
        expect(error).toBeUndefined();
        if (Array.isArray(data)) expect(data).toHaveLength(body.replies[0]!.status === 200 ? recordsIn(body) : 0);
        else expect(data).toBeInstanceOf(Object);
      }
    });
  },
);
