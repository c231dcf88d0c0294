import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { methods } from '../../../sandbox/src/google-analytics/methods.js';
import { batchShape, compatibilityShape, reportShape } from '../../../sandbox/src/google-analytics/request/bodies.js';
import type { Shape } from '../../../sandbox/src/google-analytics/request/shape.js';
import { createRequester, defaultMetrics, fixedSandbox, request } from './requester.js';

interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
}

interface Discovery {
  rootUrl: string;
  schemas: Record<string, Schema>;
  resources: { properties: { methods: Record<string, { httpMethod: string; flatPath: string }> } };
}

const folder = process.env.VENDOR_SCHEMAS;

describe.skipIf(!folder)('Google’s discovery document (in the folder named by VENDOR_SCHEMAS)', () => {
  const document: Discovery = folder
    ? JSON.parse(readFileSync(join(folder, 'analyticsdata.v1beta.json'), 'utf8'))
    : undefined!;

  it('contains every method and path that the sandbox emulates', () => {
    const known = Object.values(document.resources.properties.methods).map(
      ({ httpMethod, flatPath }) => `${httpMethod} /${flatPath.replace(/\{\w+\}/, '{}')}`,
    );
    expect(methods.map(({ verb, path }) => `${verb} ${path}`).filter((one) => !known.includes(one))).toEqual([]);
    expect(methods).toHaveLength(4);
    expect(document.rootUrl).toBe('https://analyticsdata.googleapis.com/');
  });

  it.each([
    ['RunReportRequest', reportShape],
    ['BatchRunReportsRequest', batchShape],
    ['CheckCompatibilityRequest', compatibilityShape],
  ] as const)('has exactly the fields that the sandbox accepts in a %s', (name, shape) => {
    expect(differences(document, shape, { $ref: name }, name)).toEqual([]);
  });

  it('contains every value that the sandbox returns', async () => {
    const sandbox = fixedSandbox();
    const ask = createRequester(sandbox);
    const { website } = sandbox.vendors['google-analytics'].properties;
    const path = `/v1beta/properties/${website}`;
    const everything = { returnPropertyQuota: true, metricAggregations: ['TOTAL', 'MINIMUM', 'MAXIMUM'] };
    sandbox.vendors['google-analytics'].limits = { rowsBeforeOther: 100 };
    const reports = [
      request(['date', 'userGender'], defaultMetrics, everything),
      request(['pagePathPlusQueryString'], ['screenPageViews'], everything),
      request(['itemName'], ['itemsViewed']),
    ];
    const answers: [string, unknown][] = [
      ...(await Promise.all(reports.map((body) => ask(`${path}:runReport`, body)))).map(
        ({ json }): [string, unknown] => ['RunReportResponse', json],
      ),
      ['BatchRunReportsResponse', (await ask(`${path}:batchRunReports`, { requests: reports })).json],
      ['CheckCompatibilityResponse', (await ask(`${path}:checkCompatibility`, {})).json],
      ['Metadata', (await ask(`${path}/metadata`)).json],
    ];
    const wrong = answers.flatMap(([name, value]) => misfits(document, value, { $ref: name }, name));
    expect([...new Set(wrong)]).toEqual([]);
    expect(misfits(document, { rowCount: '5', nope: 1 }, { $ref: 'RunReportResponse' }, 'Report')).toEqual([
      'Report.rowCount is no integer',
      'Report.nope does not exist',
    ]);
  });
});

/** Paths at which a shape does not match the schema; filters can nest, so each message is checked once. */
function differences(
  document: Discovery,
  shape: Shape,
  given: Schema,
  place: string,
  seen = new Set<string>(),
): string[] {
  if (given.$ref !== undefined && seen.has(given.$ref)) return [];
  const schema = given.$ref === undefined ? given : document.schemas[given.$ref]!;
  const known = given.$ref === undefined ? seen : new Set([...seen, given.$ref]);
  if (typeof shape === 'string') {
    const expected = schema.format ?? schema.type;
    const isSame = expected === shape || (shape === 'int64' && expected === 'int32');
    return isSame ? [] : [`${place} is ${expected}, not ${shape}`];
  }
  if ('oneOf' in shape) {
    const missing = (schema.enum ?? []).filter((one) => !shape.oneOf.includes(one));
    const extra = shape.oneOf.filter((one) => !schema.enum?.includes(one));
    return [...missing, ...extra].map((one) => `${place} differs in ${one}`);
  }
  if ('list' in shape) {
    return schema.items ? differences(document, shape.list, schema.items, place, known) : [`${place} is no list`];
  }
  const names = new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(shape.fields)]);
  return [...names].flatMap((name) => {
    const [inner, property] = [shape.fields[name], schema.properties?.[name]];
    if (!inner || !property) return [`${place}.${name} is only on one side`];
    return differences(document, inner, property, `${place}.${name}`, known);
  });
}

/** Paths at which a value does not match the schema. */
function misfits(document: Discovery, value: unknown, given: Schema, place: string): string[] {
  const schema = given.$ref === undefined ? given : document.schemas[given.$ref]!;
  if (schema.type === 'array') {
    return Array.isArray(value)
      ? value.flatMap((one) => misfits(document, one, schema.items!, place))
      : [`${place} is no list`];
  }
  if (schema.type === 'integer') return Number.isInteger(value) ? [] : [`${place} is no integer`];
  if (schema.type !== 'object') {
    const isKnown = !schema.enum || schema.enum.includes(String(value));
    return typeof value === schema.type && isKnown ? [] : [`${place} is no ${schema.type}`];
  }
  if (typeof value !== 'object' || value === null) return [`${place} is no object`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = schema.properties?.[name];
    return property ? misfits(document, inner, property, `${place}.${name}`) : [`${place}.${name} does not exist`];
  });
}
