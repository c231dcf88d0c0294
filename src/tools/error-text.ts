import { ConnectorError, type ErrorCode } from '../errors/connector-error.js';
import { shortUsage } from './action-section.js';
import { fenced, hiddenNotice, visibleText, warning } from './fence.js';
import type { Target } from './toolset.js';

/** What is known about a failed call. */
export interface FailedCall {
  /** Name of the tool that reads documentation. */
  readonly docsTool: string;
  /** Name of the connector, which documentation requires if there are several; null if unknown. */
  readonly connector?: string | null | undefined;
  readonly title: string;
  readonly where: string;
  readonly target?: Target | undefined;
  /** False if no service provides search for this connector. */
  readonly searchable: boolean;
  /** Whether to omit the instructions for calling the action. */
  readonly isBrief: boolean;
}

/** A failure, as text for the model and as data for the program. */
export interface FailureText {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Failures that a different call might avoid; for these, the text explains how to call the action. */
const fixableCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid_params',
  'not_found',
  'not_exportable',
  'not_downloadable',
  'too_large',
  'conflict',
]);

/** Failures detected here, in the library's own words. */
const ownCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['invalid_params', 'unknown_entity', 'unknown_action', 'hosted_only', 'invalid_credentials'] as const),
  ...(['denied_by_policy', 'rate_limited', 'network', 'timeout', 'aborted'] as const),
]);

/** Whether a message may quote external text, such as a response or its content type. */
const mayQuote = ({ code, status, vendor }: ConnectorError): boolean =>
  !ownCodes.has(code) || status !== undefined || vendor !== undefined;

const maxLength = 1_500;

/** Describes a failure so that the call can be fixed; vendor text is fenced. */
export function failureOf(thrown: unknown, call: FailedCall): FailureText {
  const error = ConnectorError.is(thrown) ? thrown : unexpected(thrown);
  // Replaces the library's option names with the tool's.
  const renameOptions = (text: string) =>
    text.replaceAll('selectFields', 'select_fields').replaceAll('excludeFields', 'exclude_fields');
  const issues = (error.issues ?? []).filter(({ message }) => !error.message.includes(message));
  const details = [
    error.message,
    ...issues.map(({ path, message }) => (path ? `- ${path}: ${message}` : `- ${message}`)),
  ];
  const { text, hidden } = visibleText(renameOptions(details.join('\n')).slice(0, maxLength));
  const { target } = call;
  const action = target && `${target.entity.name}.${target.action.name}`;
  const docs = action && error.code === 'invalid_params' ? `actions.${action}` : error.docs;
  const hint =
    error.code === 'invalid_params' && suggestsSearch(error) && !isEntitySearchable(call) ? undefined : error.hint;
  const lines = [
    `Failed: ${error.code} in ${call.where}.`,
    ...(thrown === error && mayQuote(error) ? [warning(call.title), fenced(text, call.where)] : [text]),
    ...hiddenNotice(hidden),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...retryLines(error),
    ...(target && error.code === 'not_found' ? idSourceLines(target, call.searchable) : []),
    ...(call.connector === null ? [] : [moreText(call, docs)]),
    ...(target && fixableCodes.has(error.code) && !call.isBrief && isCallable(call, target)
      ? [`\nUsage of ${action}:\n`, shortUsage(target.entity, target.action, call.connector ?? undefined)]
      : []),
  ];
  return { text: lines.join('\n'), data: error.toJSON() };
}

const moreText = ({ docsTool, connector }: FailedCall, section: string): string =>
  `More: ${docsTool} with ${connector ? `connector "${connector}" and ` : ''}section "${section}".`;

/** An unexpected error may contain anything, so only its kind is shown. */
const unexpected = (thrown: unknown) =>
  new ConnectorError(
    'invalid_response',
    `The call failed with an internal error (${thrown instanceof Error ? thrown.name : typeof thrown}).`,
  );

function retryLines({ retryable, retryAfterMs }: ConnectorError): string[] {
  if (retryAfterMs !== undefined) return [`Wait ${Math.ceil(retryAfterMs / 1000)} s before you retry.`];
  return retryable ? ['The same call may succeed later.'] : [];
}

/** Allowed actions of an entity. */
const allowedActions = ({ member, entity }: Target) =>
  member.allowed.entities.find(({ name }) => name === entity.name)?.actions ?? [];

/** Whether the advice for a failure depends on whether search is available. */
export const suggestsSearch = (error: unknown): boolean =>
  ConnectorError.is(error) &&
  (error.code === 'not_found' ||
    (error.code === 'invalid_params' && error.hint?.includes('.context_store_search filters') === true));

/** Whether the call's entity can be searched: advice must not suggest what would be rejected. */
const isEntitySearchable = ({ target, searchable }: FailedCall): boolean =>
  searchable && (target === undefined || allowedActions(target).some(({ hosted_only }) => hosted_only));

/** Whether the action can run at all: without a service, an example of a search would fail. */
const isCallable = (call: FailedCall, { action }: Target): boolean => !action.hosted_only || isEntitySearchable(call);

/** Where to get an entity's ids. */
function idSourceLines(target: Target, searchable: boolean): string[] {
  const { entity, action } = target;
  const lists = allowedActions(target).filter(
    ({ name, paginated, hosted_only }) => paginated && name !== action.name && (searchable || !hosted_only),
  );
  if (lists.length === 0) return [];
  return [`Get ids from ${lists.map(({ name }) => `${entity.name}.${name}`).join(' or ')}.`];
}
