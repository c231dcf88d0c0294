import { describe, expect, it } from 'vitest';
import { createRequester, fixedSandbox, request, tokenOf } from './requester.js';

const sandbox = fixedSandbox();
const ask = createRequester(sandbox);
const { website, foreign } = sandbox.vendors['google-analytics'].properties;

describe('the metadata', () => {
  it('lists every dimension and metric available in reports', async () => {
    const { json } = await ask(`/v1beta/properties/${website}/metadata`);
    expect(json.name).toBe(`properties/${website}/metadata`);
    const names = (key: string) => json[key].map(({ apiName }: any) => apiName);
    for (const name of names('dimensions')) {
      const report = await ask(`/v1beta/properties/${website}:runReport`, request([name], []));
      expect(report.status, name).toBe(200);
    }
    const metrics = names('metrics');
    expect(metrics.length).toBeGreaterThan(20);
    for (let at = 0; at < metrics.length; at += 10) {
      const some = metrics.slice(at, at + 10);
      const { json: report } = await ask(`/v1beta/properties/${website}:runReport`, request(['date'], some));
      expect(report.metricHeaders).toEqual(
        json.metrics.slice(at, at + 10).map(({ apiName: name, type }: any) => ({ name, type })),
      );
    }
  });

  it('is available to everyone for property 0, without custom definitions', async () => {
    const stranger = createRequester(sandbox, await tokenOf(sandbox, 'no_access'));
    const common = (await stranger('/v1beta/properties/0/metadata')).json;
    const own = (await ask(`/v1beta/properties/${website}/metadata`)).json;
    const custom = own.dimensions.filter(({ customDefinition }: any) => customDefinition);
    expect(custom.map(({ apiName }: any) => apiName)).toEqual(['customUser:plan']);
    expect(own.dimensions.length - common.dimensions.length).toBe(1);
    expect((await ask(`/v1beta/properties/${foreign}/metadata`)).status).toBe(403);
  });
});

describe('the compatibility check', () => {
  const check = (body: object) => ask(`/v1beta/properties/${website}:checkCompatibility`, body);

  it('covers all fields or only compatible ones', async () => {
    const { json } = await check({ dimensions: [{ name: 'itemName' }] });
    const of = (name: string) =>
      json.metricCompatibilities.find(({ metricMetadata }: any) => metricMetadata.apiName === name).compatibility;
    expect([of('itemsViewed'), of('sessions')]).toEqual(['COMPATIBLE', 'INCOMPATIBLE']);
    const some = await check({ dimensions: [{ name: 'itemName' }], compatibilityFilter: 'COMPATIBLE' });
    expect(some.json.metricCompatibilities).toHaveLength(2);
  });

  it('returns an error for a request that is already incompatible', async () => {
    const { status, json } = await check({ dimensions: [{ name: 'itemName' }], metrics: [{ name: 'sessions' }] });
    expect([status, json.error.message]).toEqual([400, 'The dimensions and metrics are incompatible.']);
  });
});

describe('a batch', () => {
  const send = (body: object) => ask(`/v1beta/properties/${website}:batchRunReports`, body);

  it('runs several reports in one request', async () => {
    const one = request(['date'], ['sessions']);
    const other = request(['country'], ['totalUsers'], { property: `properties/${website}` });
    const { json } = await send({ requests: [one, other] });
    expect(json.kind).toBe('analyticsData#batchRunReports');
    expect(json.reports).toEqual([
      (await ask(`/v1beta/properties/${website}:runReport`, one)).json,
      (await ask(`/v1beta/properties/${website}:runReport`, other)).json,
    ]);
  });

  it('accepts one to five reports, all for the same property', async () => {
    const one = request(['date'], ['sessions']);
    expect((await send({ requests: [] })).status).toBe(400);
    expect((await send({ requests: Array(6).fill(one) })).json.error.message).toMatch(/limited to 5 requests/);
    const foreignReport = { ...one, property: `properties/${foreign}` };
    expect((await send({ requests: [foreignReport] })).status).toBe(400);
  });
});

describe('the query string', () => {
  it('only accepts the standard parameters of Google APIs', async () => {
    const path = `/v1beta/properties/${website}:runReport`;
    const body = request([], ['sessions']);
    expect((await ask(`${path}?alt=json&prettyPrint=false`, body)).text).not.toContain('\n');
    const { status, json } = await ask(`${path}?limit=5`, body);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('Unknown name "limit"')]);
  });
});
