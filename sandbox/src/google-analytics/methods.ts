import { apiErrors } from './errors.js';
import { type CompatibilityRequest, compatibilityOf, metadataOf } from './metadata.js';
import type { Property } from './properties.js';
import type { QuotaLedger } from './quota.js';
import { planOf } from './report/plan.js';
import { runReport } from './report/run.js';
import { batchShape, compatibilityShape, type ReportRequest, reportShape } from './request/bodies.js';
import { readBody } from './request/shape.js';
import type { VisitStream } from './visits/stream.js';

/** Context of a method. */
export interface Context {
  property: Property;
  project: string;
  ledger: QuotaLedger;
  now: number;
  /** The property's current day and minute. */
  localNow: { day: number; minute: number };
  /** The property's visits through the end of a day. */
  stream(day: number): VisitStream;
}

/** An API method. */
export interface Method {
  /** Google's name for the method. */
  name: string;
  verb: 'GET' | 'POST';
  /** Path with the property id in braces. */
  path: string;
  read(body: string): any;
  answer(body: any, context: Context | undefined): object;
}

const defaultRowsBeforeOther = 50_000;

/** All emulated methods. */
export const methods: readonly Method[] = [
  {
    name: 'RunReport',
    verb: 'POST',
    path: '/v1beta/properties/{}:runReport',
    read: (body) => readBody(body, reportShape),
    answer: (body: ReportRequest, context) => report(body, context!),
  },
  {
    name: 'BatchRunReports',
    verb: 'POST',
    path: '/v1beta/properties/{}:batchRunReports',
    read: (body) => readBody(body, batchShape),
    answer: (body: { requests?: ReportRequest[] }, context) => batch(body.requests ?? [], context!),
  },
  {
    name: 'CheckCompatibility',
    verb: 'POST',
    path: '/v1beta/properties/{}:checkCompatibility',
    read: (body) => readBody(body, compatibilityShape),
    answer: (body: CompatibilityRequest) => compatibilityOf(body),
  },
  {
    name: 'GetMetadata',
    verb: 'GET',
    path: '/v1beta/properties/{}/metadata',
    read: () => ({}),
    answer: (_, context) => metadataOf(context?.property.id ?? '0'),
  },
];

const patterns = methods.map((method) => ({
  method,
  pattern: new RegExp(`^${method.path.replace('{}', '([^/]+)')}$`),
}));

/** Finds the API method for an HTTP method and path. */
export function matchMethod(verb: string, path: string): { method: Method; property: string } | undefined {
  for (const { method, pattern } of patterns) {
    const property = pattern.exec(path)?.[1];
    if (property !== undefined && method.verb === verb) return { method, property: decodeSegment(property) };
  }
  return undefined;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function batch(requests: readonly ReportRequest[], context: Context): object {
  if (requests.length === 0) throw apiErrors.invalid('A batch must have at least one request.');
  if (requests.length > 5) {
    throw apiErrors.invalid(`Batches are limited to 5 requests. This batch has ${requests.length} requests.`);
  }
  const own = `properties/${context.property.id}`;
  const other = requests.find(({ property }) => property !== undefined && property !== '' && property !== own);
  if (other) throw apiErrors.invalid(`The property ${other.property} does not match the batch's property ${own}.`);
  return { reports: requests.map((one) => report(one, context)), kind: 'analyticsData#batchRunReports' };
}

function report(request: ReportRequest, context: Context): object {
  const { property, project, ledger, now, localNow } = context;
  const plan = planOf(request, localNow.day);
  ledger.check(property.id, project, now, plan.isThresholded);
  const { limits } = ledger;
  const { body, rowCount } = runReport(plan, {
    property,
    localNow,
    stream: context.stream(localNow.day),
    rowsBeforeOther: limits.rowsBeforeOther ?? defaultRowsBeforeOther,
  });
  const days = plan.ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const size = Math.floor(days / 90) + Math.floor(plan.dimensions.length / 4) + Math.floor(rowCount / 10_000);
  const tokens = limits.tokensPerReport ?? 1 + size;
  ledger.charge('tokens', property.id, project, now, tokens);
  ledger.charge('running', property.id, project, now);
  if (plan.isThresholded) ledger.charge('thresholded', property.id, project, now);
  return {
    ...body,
    ...(request.returnPropertyQuota && { propertyQuota: ledger.state(property.id, project, now, tokens) }),
    kind: 'analyticsData#runReport',
  };
}
