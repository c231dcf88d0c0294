import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies, property, reportOf } from './setup.js';

/** The URL for a property's reports. */
async function pathOf(property_id: string) {
  const { analytics, sent } = connectorWithReplies([reportOf([])]);
  await analytics.pages.list({ property_id });
  return sent[0]!.url.pathname;
}

/** The error of a call that is rejected before anything is sent. */
async function refusalOf(params: object) {
  const { analytics, sent } = connectorWithReplies([reportOf([])]);
  const error = await failure(analytics.pages.list({ ...property, ...params }));
  expect(error.code).toBe('invalid_params');
  expect(sent).toHaveLength(0);
  return error;
}

describe('a property', () => {
  test.each(['123456789', 'properties/123456789', ' 123456789 ', '\tproperties/123456789\n'])(
    'can be given as %j',
    async (given) => {
      expect(await pathOf(given)).toBe('/v1beta/properties/123456789:runReport');
    },
  );

  test.each([
    '',
    ' ',
    'abc',
    '12a',
    '-1',
    '1.5',
    '1e5',
    'properties/',
    'properties/properties/1',
    '1/2',
    '1:batch',
    '１２',
  ])('cannot be given as %j', async (property_id) => {
    const { issues } = await refusalOf({ property_id });
    expect(issues).toMatchObject([{ path: 'property_id' }]);
    expect(issues![0]!.message).toContain('123456789');
  });

  test.each(['G-ABC123DEF4', 'g-abc123', 'UA-12345-1', 'GTM-XYZ', 'AW-123', 'properties/G-ABC123'])(
    'cannot be given as %s, which is a tag id, and the error says so',
    async (property_id) => {
      const { issues } = await refusalOf({ property_id });
      expect(issues).toHaveLength(1);
      expect(issues![0]).toMatchObject({ path: 'property_id' });
      expect(issues![0]!.message).toContain('tag or stream id');
    },
  );

  test('is required, as a string', async () => {
    for (const property_id of [undefined, null, 123456789]) {
      expect((await refusalOf({ property_id })).issues).toMatchObject([{ path: 'property_id' }]);
    }
  });
});

describe('a date range', () => {
  test.each(['2026-09-01', 'today', 'yesterday', '0daysAgo', '30daysAgo', '730daysAgo'])(
    'can start and end at %s',
    async (moment) => {
      const { analytics, sent } = connectorWithReplies([reportOf([])]);
      const dateRanges = [{ startDate: moment, endDate: moment }];
      await analytics.pages.list({ ...property, dateRanges });
      expect(sent[0]!.json.dateRanges).toEqual(dateRanges);
    },
  );

  test.each(['20260901', '2026-9-1', '2026-02-30', '2026-09-01T00:00:00Z', 'tomorrow', '30 daysAgo', '-1daysAgo', ''])(
    'cannot start or end at %j',
    async (moment) => {
      const { issues } = await refusalOf({
        dateRanges: [
          { startDate: '7daysAgo', endDate: 'today' },
          { startDate: moment, endDate: moment },
        ],
      });
      expect(issues!.map(({ path }) => path)).toEqual(['dateRanges.1.startDate', 'dateRanges.1.endDate']);
      expect(issues![0]!.message).toBe('must be YYYY-MM-DD, today, yesterday or NdaysAgo');
    },
  );

  test.each(['date_range_0', 'RESERVED_TOTAL', ''])('cannot be named %j', async (name) => {
    const { issues } = await refusalOf({ dateRanges: [{ startDate: 'today', endDate: 'today', name }] });
    expect(issues).toMatchObject([{ path: 'dateRanges.0.name' }]);
  });

  test('must have both ends and no unknown keys', async () => {
    const { issues } = await refusalOf({ dateRanges: [{ startDate: 'today', end_date: 'today' }] });
    expect(issues!.map(({ path }) => path)).toEqual(expect.arrayContaining(['dateRanges.0.endDate']));
    expect(JSON.stringify(issues)).toContain('end_date');
  });
});

describe('a column', () => {
  test.each([['dimensions'], ['metrics']])('in %s is an object with a name', async (list) => {
    for (const column of ['date', {}, { name: '' }, { name: ' ' }, { name: 5 }, { nmae: 'date' }]) {
      const { issues } = await refusalOf({ [list]: [{ name: 'a' }, column] });
      expect(issues![0]!.path).toMatch(new RegExp(`^${list}\\.1`));
    }
  });
});
