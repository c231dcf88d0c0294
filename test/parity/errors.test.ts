import type { ErrorCode } from 'agent-connectors';
import type { FaultRule, Sandbox } from 'agent-connectors-sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { advanceUntilSettled, freezeTime, waitUntil } from '../engine/time.js';
import { normalise, outcomeOf } from './outcome.js';
import { pairOf, paramsOn, type Route } from './pair.js';
import type { ParitySubject } from './subject.js';
import { analytics, drive, gong, granola, linear } from './subjects/index.js';

interface Failing {
  readonly subject: ParitySubject;
  /** `entity.action` for which the subject has valid parameters. */
  readonly call: string;
  /** Replaces the valid parameters. */
  readonly params?: object;
  readonly fault?: FaultRule;
  readonly credentials?: (sandbox: Sandbox) => object;
  readonly prepare?: (sandbox: Sandbox) => void;
  /** Options for the connector. */
  readonly options?: object;
  /** Options for the call. */
  readonly shaping?: object;
}

const always = { count: Number.POSITIVE_INFINITY };
const refusedBecause = (reason: string, status: number): FaultRule => ({ kind: 'refused', reason, status, ...always });

const failures: ReadonlyArray<readonly [ErrorCode, string, Failing]> = [
  [
    'invalid_params',
    'from the schema',
    { subject: linear, call: 'issues.create', params: { titel: 'T', priority: 9 } },
  ],
  [
    'invalid_params',
    'from the vendor',
    { subject: drive, call: 'files.list', fault: refusedBecause('invalidParameter', 400) },
  ],
  ['invalid_params', 'for a path that is not a field', shapedBy({ selectFields: ['titel'] })],
  ['unknown_entity', 'for an unknown name', { subject: linear, call: 'isues.list', params: {} }],
  ['unknown_action', 'for an unknown name', { subject: linear, call: 'issues.lst', params: {} }],
  ['not_found', 'for an unknown id', { subject: linear, call: 'issues.get', params: { id: 'ENG-99999' } }],
  ['not_found', 'for an unknown file', { subject: drive, call: 'files.download', params: { fileId: 'nothing' } }],
  [
    'unauthorized',
    'once the key is revoked',
    { subject: linear, call: 'issues.list', prepare: revoking(({ vendors }) => vendors.linear.credentials.api_key) },
  ],
  [
    'invalid_credentials',
    'once the refresh token is revoked',
    {
      subject: drive,
      call: 'files.list',
      credentials: ({ vendors }) => vendors['google-drive'].credentials.oauth,
      prepare: (sandbox) => sandbox.revoke(sandbox.vendors['google-drive'].credentials.oauth.refresh_token),
    },
  ],
  [
    'scope_missing',
    'with a token that can only read names',
    {
      subject: drive,
      call: 'files.download',
      credentials: ({ vendors }) => vendors['google-drive'].credentials.metadata_readonly,
    },
  ],
  ['forbidden', 'from Google', { subject: analytics, call: 'pages.list', params: { property_id: '999999999' } }],
  [
    'forbidden',
    'from Granola',
    { subject: granola, call: 'notes.list', credentials: ({ vendors }) => vendors.granola.credentials.inactive },
  ],
  [
    'rate_limited',
    'from the vendor',
    { subject: gong, call: 'users.list', fault: { kind: 'rate_limited', retryAfter: 600, ...always } },
  ],
  [
    'rate_limited',
    'from the vendor, for a write',
    { subject: linear, call: 'issues.create', fault: { kind: 'http_429', retryAfter: 600, ...always } },
  ],
  [
    'quota_exhausted',
    'for the day',
    { subject: drive, call: 'about.get', fault: refusedBecause('dailyLimitExceeded', 403) },
  ],
  [
    'not_exportable',
    'for an image',
    { subject: drive, call: 'files_export.download', fault: refusedBecause('fileNotExportable', 403) },
  ],
  [
    'not_downloadable',
    'for a document',
    { subject: drive, call: 'files.download', fault: refusedBecause('fileNotDownloadable', 403) },
  ],
  [
    'too_large',
    'for an export',
    { subject: drive, call: 'files_export.download', fault: refusedBecause('exportSizeLimitExceeded', 403) },
  ],
  ['vendor_error', 'for a read', { subject: granola, call: 'notes.list', fault: { kind: '500', ...always } }],
  [
    'vendor_error',
    'from GraphQL',
    { subject: linear, call: 'users.list', fault: { kind: 'internal_error', ...always } },
  ],
  [
    'invalid_response',
    'for a page',
    { subject: gong, call: 'users.list', fault: { kind: 'wrong_content_type', ...always } },
  ],
  [
    'invalid_response',
    'for a redirect',
    { subject: granola, call: 'notes.list', fault: { kind: 'redirect', ...always } },
  ],
  ['network', 'before a response', { subject: linear, call: 'teams.list', fault: { kind: 'reset_before', ...always } }],
  [
    'timeout',
    'for the whole call',
    {
      subject: linear,
      call: 'teams.list',
      fault: { kind: 'slow_headers', ms: 5_000, ...always },
      shaping: { timeoutMs: 150 },
    },
  ],
  ['conflict', 'with another change', { subject: drive, call: 'files.update', fault: refusedBecause('conflict', 409) }],
  [
    'unknown_outcome',
    'when the response to a write is lost',
    { subject: drive, call: 'files.update', fault: { kind: 'reset_after', ...always } },
  ],
  [
    'unknown_outcome',
    'for a record with its own id',
    { subject: linear, call: 'issues.create', fault: { kind: 'reset_after', ...always } },
  ],
  [
    'unknown_outcome',
    'when a gateway gives up on a write',
    { subject: linear, call: 'issues.update', fault: { kind: '504', applied: true, ...always } },
  ],
  [
    'unknown_outcome',
    'when a write times out',
    {
      subject: drive,
      call: 'files.create',
      fault: { kind: 'slow_headers', ms: 5_000, path: '/drive/v3/files', ...always },
      shaping: { timeoutMs: 150 },
    },
  ],
  [
    'denied_by_policy',
    'for a write on a read-only connector',
    { subject: linear, call: 'issues.update', options: { readOnly: true } },
  ],
  [
    'denied_by_policy',
    'for an action that is not allowed',
    { subject: linear, call: 'users.list', options: { allow: ['issues.*'] } },
  ],
];

function shapedBy(shaping: object): Failing {
  return { subject: linear, call: 'issues.list', shaping };
}

function revoking(credentials: (sandbox: Sandbox) => { readonly api_key: string }) {
  return (sandbox: Sandbox) => sandbox.revoke(credentials(sandbox).api_key);
}

// The backoff is random; these tests use the minimum.
beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

/** Lets the call time out only once its request is in progress, so that slow machines do not matter. */
async function late<T>({ requests }: Sandbox, call: () => Promise<T>): Promise<T> {
  freezeTime();
  try {
    const outcome = call();
    outcome.catch(() => {});
    await waitUntil(() => requests.some(({ fault }) => fault === 'slow_headers'));
    return await advanceUntilSettled(outcome);
  } finally {
    vi.useRealTimers();
  }
}

async function failureOn(way: Route, { subject, call, fault, params, shaping }: Failing, prepared: object) {
  if (fault) way.sandbox.faults.add(fault);
  const [entity, action] = call.split('.');
  const run = () => way.connector.execute(entity, action, params ?? prepared, shaping);
  const outcome = await outcomeOf(fault?.kind === 'slow_headers' ? () => late(way.sandbox, run) : run);
  return normalise(outcome, way, subject, call).error;
}

describe('fails identically in both modes', () => {
  test.each(failures)('with %s, %s', async (code, _, failing) => {
    const { subject, call, prepare, ...more } = failing;
    const { local, hosted } = await pairOf(subject, more);
    const prepared = failing.params ?? (await paramsOn(local, subject, call));
    if (!failing.params) await paramsOn(hosted, subject, call);
    prepare?.(local.sandbox);
    prepare?.(hosted.sandbox);
    const direct = await failureOn(local, failing, prepared);
    expect(direct).toMatchObject({ code });
    expect(await failureOn(hosted, failing, prepared)).toStrictEqual(direct);
  });
});
