import type { FaultRule } from 'agent-connectors-sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { outcomeOf } from './outcome.js';
import { pairOf, paramsOn, type Route } from './pair.js';
import { drive } from './subjects/index.js';

beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

/** A download in both modes: its meta, the bytes read, and how it ended. */
async function bothWays(params: object, fault?: FaultRule) {
  const pair = await pairOf(drive);
  return Promise.all(
    [pair.local, pair.hosted].map(async (way) => {
      const file = await paramsOn(way, drive, 'files.download');
      if (fault) way.sandbox.faults.add(fault);
      return partsOf(way, { ...file, ...params });
    }),
  );
}

async function partsOf({ connector }: Route, params: object) {
  let text = '';
  const read = async () => {
    const { data, meta } = await connector.execute('files', 'download', params);
    text = JSON.stringify(meta);
    for await (const chunk of data) text += new TextDecoder().decode(chunk);
    return { data: null, meta };
  };
  const outcome = await outcomeOf(read);
  return { text, outcome };
}

describe('a download is the same in both modes', () => {
  test.each([
    ['whole', {}],
    ['a part from the start', { range_header: 'bytes=0-99' }],
    ['a part from the middle', { range_header: 'bytes=50-149' }],
    ['the end', { range_header: 'bytes=-20' }],
    ['past the end', { range_header: 'bytes=99999999-' }],
  ])('%s', async (name, params) => {
    const [direct, throughService] = await bothWays(params);
    expect(direct!.outcome).toHaveProperty(name === 'past the end' ? 'error' : 'meta');
    expect(throughService).toStrictEqual(direct);
  });

  test('if the range is ignored, which both modes report', async () => {
    const fault: FaultRule = { kind: 'ignore_range', count: Number.POSITIVE_INFINITY };
    const [direct, throughService] = await bothWays({ range_header: 'bytes=0-9' }, fault);
    expect(direct!.outcome.meta).toMatchObject({ notice: expect.stringContaining('ignored range') });
    expect(throughService).toStrictEqual(direct);
  });

  test('if it is interrupted, which both modes report as a failure with the bytes received so far', async () => {
    const [direct, throughService] = await bothWays({}, { kind: 'reset_body', after: 100, path: '/drive/v3/files' });
    for (const { outcome } of [direct!, throughService!]) {
      expect(outcome.error).toMatchObject({
        code: 'network',
        retryable: true,
        message: expect.stringContaining('interrupted after'),
        hint: expect.stringContaining('range_header'),
      });
    }
    // How many of the sent bytes arrive before a reset depends on the network.
    expect(direct!.text.startsWith(throughService!.text) || throughService!.text.startsWith(direct!.text)).toBe(true);
  });
});
