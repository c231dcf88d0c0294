import { ConnectorError, type ExecuteOptions, type Pages } from '../../src/authoring.js';
import type { Change } from './records.js';

/** The part of a connector that `changesSince` uses. */
interface ChangeLog {
  paginate(
    entity: 'changes',
    action: 'list',
    params: any,
    options?: ExecuteOptions,
  ): Pages<Change, { readonly newStartPageToken: string | null }>;
}

/**
 * Yields every change since a token, and returns the start token for next time.
 *
 * Store that token once all changes are processed; unlike page tokens it does not expire.
 */
export async function* changesSince(
  drive: ChangeLog,
  params: { readonly pageToken: string; readonly [name: string]: unknown },
  options?: ExecuteOptions,
): AsyncGenerator<Change, string> {
  let next: string | null = null;
  for await (const { data, meta } of drive.paginate('changes', 'list', params, options).pages()) {
    yield* data;
    next = meta.newStartPageToken;
  }
  if (next !== null) return next;
  throw new ConnectorError(
    'invalid_response',
    'The last page of the Google Drive change log has no start token for the next run.',
  );
}
