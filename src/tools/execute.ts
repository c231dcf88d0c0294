import type { Result } from '../action/result.js';
import type { View } from '../call/shape.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { Arguments } from './arguments.js';
import { download } from './download.js';
import type { OnFile } from './file.js';
import { emptyHint, narrowHint } from './hints.js';
import { fullPageHint, nextPage, nextPageHint, type Outcome } from './next-page.js';
import { type Origin, type Outgoing, present, presentRest } from './present.js';
import type { Remainders } from './remainder.js';
import { viewed } from './render/concise.js';
import { metaToRead, renderResult } from './render/render.js';
import { hasLongFractions } from './render/report.js';
import { type ActionContext, preparedAction } from './run-action.js';
import type { TokenBudget } from './tokens.js';
import type { Target } from './toolset.js';

/** State shared by a toolset's calls. */
export interface ExecuteContext extends ActionContext {
  /** Maximum tokens in a result's text. */
  readonly budget: TokenBudget;
  readonly remainders: Remainders;
  readonly onFile: OnFile | undefined;
}

/** Output of a successful tool call. */
export interface ToolOutput {
  readonly text: string;
  readonly data: unknown;
}

/** Continues a truncated result. */
export function continueResult(handle: string, { remainders, budget }: ExecuteContext): ToolOutput {
  const remainder = remainders.find(handle);
  if (!remainder || remainder.from >= remainder.text.length) {
    const message = 'is unknown: handles expire after 15 minutes, or sooner if newer results replace them';
    throw new ConnectorError('invalid_params', `continue ${message}.`, {
      issues: [{ path: 'continue', message }],
      hint: 'Repeat the call and request less data.',
    });
  }
  const rest = presentRest(remainder, budget);
  return { text: rest.text, data: dataOf(rest.hints, rest.handle) };
}

const dataOf = (hints: readonly string[], handle: string | undefined, whole: object = {}) => ({
  ...whole,
  ...(hints.length > 0 && { hint: hints.join(' ') }),
  ...(handle !== undefined && { continue: handle }),
});

/** The requested view. */
function viewOf({ view = 'concise' }: Arguments): View {
  if (view === 'concise' || view === 'full') return view;
  const message = 'must be concise or full';
  throw new ConnectorError('invalid_params', `view ${message}.`, { issues: [{ path: 'view', message }] });
}

/** Runs an action and renders its result. */
export async function executeAction(
  target: Target,
  args: Arguments,
  context: ExecuteContext,
  signal: AbortSignal | undefined,
): Promise<ToolOutput> {
  const { member, entity, action } = target;
  const { params, run, notes } = await preparedAction(target, args, context, signal);
  const origin = { title: member.fullDescription.title, provenance: `${member.key}/${entity.name}.${action.name}` };
  const { result, data, meta } = action.binary
    ? await download({ target, params, run, origin, budget: context.budget, onFile: context.onFile })
    : records(target, params, await run(params), { args, origin, budget: context.budget, notes });
  const { text, hints, handle } = present(result, context.budget, context.remainders);
  return { text, data: dataOf(hints, handle, handle === undefined ? { data, meta } : {}) };
}

/** How to render a result. */
interface Presentation {
  readonly args: Arguments;
  readonly origin: Origin;
  readonly budget: TokenBudget;
  readonly notes: readonly string[];
}

/** Records as text, with hints. */
function records(
  { member: { connector }, entity, action }: Target,
  params: Outcome['params'],
  { data: all, meta: allMeta }: Result,
  { args, origin, budget, notes }: Presentation,
): Outgoing {
  const meta = (allMeta ?? {}) as Outcome['meta'];
  const view = viewOf(args);
  const selectFields = args.select_fields as readonly string[] | undefined;
  const { data, short, hints } = viewed(all, action, { view, selectFields, params });
  const outcome: Outcome = { entity: entity.name, action, params, data: all, meta };
  const next = nextPage(connector, outcome);
  const nextHint = nextPageHint(next, outcome, Math.min(2_000, budget.max / 3));
  const toRead = metaToRead(meta, view, next, nextHint?.isNamed ?? false);
  const isRounded = view === 'concise' && action.layout?.columns !== undefined;
  const said = [
    ...notes,
    ...hints,
    isRounded && hasLongFractions(data)
      ? 'Fractions are rounded to six digits; view: "full" shows all digits.'
      : undefined,
    emptyHint(outcome, next !== undefined),
    nextHint?.text,
    ...(next || connector.following ? [] : [fullPageHint(outcome)]),
  ].filter((hint) => hint !== undefined);
  const result = {
    ...origin,
    content: renderResult({ data: short, meta: toRead, headers: meta, layout: action.layout, isRounded }),
    count: Array.isArray(data) ? data.length : undefined,
    hints: said,
    narrow: () => narrowHint({ ...outcome, data }),
  };
  return { result, data, meta: allMeta };
}
