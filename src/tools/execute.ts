import { ConnectorError } from '../call/errors.js';
import type { ByteStream, DownloadMeta, Result } from '../call/result.js';
import type { Arguments } from './arguments.js';
import { readChunk } from './chunk.js';
import { emptyHint, narrowHint } from './hints.js';
import { fullPageHint, nextPage, nextPageHint, type Outcome } from './next-page.js';
import { type PresentableResult, present, presentRest, wholeBytes } from './present.js';
import type { Remainders } from './remainder.js';
import { type ActionContext, preparedAction } from './run-action.js';
import { formsOf } from './schema.js';
import type { Target } from './toolset.js';

/** What one toolset's calls share. */
export interface ExecuteContext extends ActionContext {
  /** Bytes that the text of a result takes at most. */
  readonly bytes: number;
  readonly remainders: Remainders;
}

/** What a tool has to say when all went well. */
export interface ToolOutput {
  readonly text: string;
  readonly data: unknown;
}

/** Reads on where a result was cut. */
export function continueResult(handle: string, { remainders, bytes }: ExecuteContext): ToolOutput {
  const remainder = remainders.find(handle);
  if (!remainder || remainder.from >= remainder.text.length) {
    const message = 'leads nowhere: handles last 15 minutes, and older results make room for newer ones';
    throw new ConnectorError('invalid_params', `continue ${message}.`, {
      issues: [{ path: 'continue', message }],
      hint: 'Repeat the call, and ask for less.',
    });
  }
  const rest = presentRest(remainder, bytes);
  return { text: rest.text, data: dataOf(rest.hints, rest.handle) };
}

const dataOf = (hints: readonly string[], handle: string | undefined, whole: object = {}) => ({
  ...whole,
  ...(hints.length > 0 && { hint: hints.join(' ') }),
  ...(handle !== undefined && { continue: handle }),
});

/** Runs one action and writes what came of it. */
export async function executeAction(
  target: Target,
  args: Arguments,
  context: ExecuteContext,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> {
  const { member, entity, action } = target;
  const { params, run } = await preparedAction(target, args, context, signal);
  const origin = { title: member.fullDescription.title, provenance: `${member.key}/${entity.name}.${action.name}` };
  const presented: PresentableResult = action.binary
    ? await chunkOf(target, params, run, origin, context.bytes)
    : { ...origin, ...withHints(target, params, await run(params), context.bytes) };
  const { data, meta } = presented;
  const { text, hints, handle } = present(presented, context.bytes, context.remainders);
  return { text, data: dataOf(hints, handle, handle === undefined ? { data, meta } : {}) };
}

/** A result with what is to be said of it. */
function withHints(
  { member, entity, action }: Target,
  params: Outcome['params'],
  { data, meta }: Result,
  bytes: number,
) {
  const outcome: Outcome = { entity: entity.name, action, params, data, meta: (meta ?? {}) as Outcome['meta'] };
  const { connector } = member;
  const next = nextPage(connector, outcome);
  const hints = [
    emptyHint(outcome, next !== undefined),
    nextPageHint(next, outcome, Math.min(2_000, bytes / 4)),
    ...(next || connector.following ? [] : [fullPageHint(outcome)]),
  ].filter((hint) => hint !== undefined);
  return { data, meta, hints, narrow: () => narrowHint(outcome) };
}

async function chunkOf(
  { action }: Target,
  { range_header, ...params }: Record<string, unknown>,
  run: (params: object) => Promise<Result>,
  origin: Pick<PresentableResult, 'title' | 'provenance'>,
  bytes: number,
): Promise<PresentableResult> {
  const takesRange = formsOf(action.params).some(({ properties = {} }) => 'range_header' in properties);
  const open = (range: string | undefined) =>
    run({ ...params, ...(range !== undefined && { range_header: range }) }) as Promise<
      Result<ByteStream, DownloadMeta>
    >;
  const asPresented = (result: object) => ({
    ...origin,
    ...(result as Pick<PresentableResult, 'data' | 'meta'>),
    hints: [],
    narrow: () => 'For less: a smaller range_header.',
  });
  const overflow = (result: object) => wholeBytes(asPresented(result)) - bytes;
  return asPresented(await readChunk(open, range_header, takesRange, { bytes, overflow }));
}
