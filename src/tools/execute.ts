import { isGrouped } from '../action/params.js';
import type { Result } from '../action/result.js';
import type { View } from '../call/shape.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { Arguments } from './arguments.js';
import { download } from './download.js';
import type { OnFile } from './file.js';
import { type HandleSigner, handleOf } from './handle.js';
import { emptyHint, narrowHint, unmatchedHint } from './hints.js';
import { fullPageHint, nextPage, nextPageHint, type Outcome, totalOf } from './next-page.js';
import type { PartPosition } from './parts.js';
import { dataOf, type Origin, type Outgoing, present, type Reading } from './present.js';
import { viewed } from './render/concise.js';
import type { ReportedGaps } from './render/missing.js';
import { metaToRead, renderResult } from './render/render.js';
import { hasLongFractions } from './render/report.js';
import { type ActionContext, preparedAction } from './run-action.js';
import type { OutputBudget } from './tokens.js';
import type { Target } from './toolset.js';

/** State shared by a toolset's calls. */
export interface ExecuteContext extends ActionContext {
  /** The most that a result's text may have. */
  readonly budget: OutputBudget;
  readonly signer: HandleSigner | undefined;
  readonly onFile: OnFile | undefined;
}

/** Output of a successful tool call. */
export interface ToolOutput {
  readonly text: string;
  readonly data: unknown;
}

/** The requested view. */
function viewOf({ view = 'concise' }: Arguments): View {
  if (view === 'concise' || view === 'full') return view;
  const message = 'must be concise or full';
  throw new ConnectorError('invalid_params', `view ${message}.`, { issues: [{ path: 'view', message }] });
}

/** Whether the caller chose the fields, or a search returns groups; a null value is then part of the answer. */
const isChosen = ({ select_fields }: Arguments, { fields, query }: Outcome['params']): boolean =>
  select_fields !== undefined || fields !== undefined || isGrouped(query);

/** Context of one call. */
interface Call {
  readonly from: PartPosition | undefined;
  readonly signal: AbortSignal | undefined;
  readonly reported: ReportedGaps;
}

/** Runs an action and renders its result, or the part of it that starts at a position. */
export async function executeAction(
  target: Target,
  args: Arguments,
  context: ExecuteContext,
  { from, signal, reported }: Call,
): Promise<ToolOutput> {
  const { member, entity, action } = target;
  const { budget, signer } = context;
  const { params, run, notes } = await preparedAction(target, args, context, signal);
  const origin = { title: member.fullDescription.title, provenance: `${member.key}/${entity.name}.${action.name}` };
  const { result, data, meta } = action.binary
    ? await download({ target, params, run, origin, budget, onFile: context.onFile })
    : records(target, params, await run(params), { args, origin, budget, notes, reported });
  // Downloads fit already, and a write must not be repeated to read the rest of its result.
  const reading: Reading | undefined =
    action.binary || action.effect !== 'read'
      ? undefined
      : { from, handleAt: (position) => handleOf({ ...args, connector: member.key }, position, signer) };
  const presentation = present(result, budget, reading);
  return { text: presentation.text, data: dataOf(presentation, { data, meta }) };
}

/** How to render a result. */
interface Rendering {
  readonly args: Arguments;
  readonly origin: Origin;
  readonly budget: OutputBudget;
  readonly notes: readonly string[];
  readonly reported: ReportedGaps;
}

/** Records as text, with hints. */
function records(
  { member: { key, connector }, entity, action }: Target,
  params: Outcome['params'],
  { data: all, meta: allMeta }: Result,
  { args, origin, budget, notes, reported }: Rendering,
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
    unmatchedHint(meta.unmatched_words),
    nextHint?.text,
    ...(next || connector.following ? [] : [fullPageHint(outcome)]),
  ].filter((hint) => hint !== undefined);
  const result = {
    ...origin,
    content: renderResult({
      data: short,
      meta: toRead,
      source: `${key}/${entity.name}`,
      reported: view === 'full' ? undefined : reported,
      headers: meta,
      layout: action.layout,
      isRounded,
      showsNulls: isChosen(args, params),
    }),
    count: Array.isArray(data) ? data.length : undefined,
    total: totalOf(outcome),
    hints: said,
    narrow: () => narrowHint({ ...outcome, data }),
  };
  return { result, data, meta: allMeta };
}
