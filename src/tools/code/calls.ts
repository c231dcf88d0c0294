import type { ByteStream, DownloadMeta, Result } from '../../action/result.js';
import { ConnectorError } from '../../errors/connector-error.js';
import { ApprovalPending } from '../approval.js';
import { readDownload } from '../chunk.js';
import { nextPage } from '../next-page.js';
import { pageSizeOf } from '../page-size.js';
import { missingLines } from '../render/missing.js';
import { type ActionContext, preparedAction } from '../run-action.js';
import { formsOf } from '../schema.js';
import { findMember, findTarget, type Member, type Target } from '../toolset.js';

/** A write started by code, and its outcome. */
interface Write {
  readonly name: string;
  outcome: 'done' | 'failed' | 'unknown';
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxNotes = 10;

const optionNames = ['select_fields', 'exclude_fields', 'intent'];

/** Lists read by code do not fill the context window, so their pages are larger than a model's. */
const codePageSize = 100;

/** A program's calls, each checked, approved and logged as if a model had made it. */
export class CodeCalls {
  readonly #counts = new Map<string, number>();
  readonly #writes: Write[] = [];
  readonly #open = new Set<Promise<string>>();
  readonly #notes = new Set<string>();
  #failed = 0;

  readonly #members: readonly Member[];
  readonly #context: ActionContext;
  readonly #intent: string | undefined;
  readonly #signal: AbortSignal;

  constructor(members: readonly Member[], context: ActionContext, intent: string | undefined, signal: AbortSignal) {
    this.#members = members;
    this.#context = context;
    this.#intent = intent;
    this.#signal = signal;
  }

  /** Handles a call; takes and returns JSON. */
  answer(text: string): Promise<string> {
    const answered = this.#run(text)
      .then((result) => JSON.stringify(result))
      .catch((error) => {
        this.#failed++;
        return JSON.stringify({ error: shownError(error) });
      });
    this.#open.add(answered);
    return answered.finally(() => this.#open.delete(answered));
  }

  /**
   * Resolves when no calls are running, since code may end without awaiting them, or when the result is no longer
   * needed.
   */
  async settled(): Promise<void> {
    const aborted = new Promise((resolve) => this.#signal.addEventListener('abort', resolve, { once: true }));
    while (this.#open.size > 0 && !this.#signal.aborted) await Promise.race([Promise.all(this.#open), aborted]);
  }

  /** The calls made, in the library's own words. */
  report(): string[] {
    const counts = [...this.#counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
    const failed = this.#failed > 0 ? `; ${this.#failed} failed` : '';
    const writes = this.#writes.map(({ name, outcome }) => `${name} (${outcome})`);
    return [
      ...(counts.length > 0 || failed ? [`Calls: ${counts.join(', ') || 'none available'}${failed}.`] : []),
      ...(writes.length > 0 ? [`Writes (kept even if the code failed): ${writes.join(', ')}.`] : []),
    ];
  }

  /** Whether the program has started a write. */
  hasWritten(): boolean {
    return this.#writes.length > 0;
  }

  /** Notes on what calls omitted, which code might not read. They may contain vendor text. */
  notes(): string[] {
    return [...this.#notes];
  }

  #note(name: string, result: object): void {
    const { notes, missing } = ((result as { meta?: unknown }).meta ?? {}) as Json;
    const said = [...(Array.isArray(notes) ? notes : []), ...(missingLines(missing) ?? [])];
    for (const note of said) if (this.#notes.size < maxNotes) this.#notes.add(`${name}: ${note}`);
  }

  async #run(text: string): Promise<object> {
    // No parameter has this name, and copying it would set a prototype.
    const call: Json = JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value));
    const { connector, entity, action, params, options } = call;
    const unknown = isObject(options) ? Object.keys(options).find((name) => !optionNames.includes(name)) : 'options';
    if (!isObject(params) || unknown !== undefined) {
      const wanted = isObject(params)
        ? `The second argument takes ${optionNames.join(', ')}`
        : 'params must be an object';
      throw new ConnectorError('invalid_params', `${wanted}.`);
    }
    const member = findMember(this.#members, connector as string);
    const target = findTarget(member, entity as string, action as string);
    const name = `${member.key}/${target.entity.name}.${target.action.name}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const args = { intent: this.#intent, ...(options as Json), params: withLargePage(target, params), view: 'full' };
    const prepared = await preparedAction(target, args, this.#context, this.#signal);
    this.#signal.throwIfAborted();
    for (const note of prepared.notes) this.#notes.add(`${name}: ${note}`);
    if (target.action.effect === 'read') {
      const result = await resultOf(target, prepared);
      this.#note(name, result);
      return result;
    }
    const write: Write = { name, outcome: 'unknown' };
    this.#writes.push(write);
    try {
      const result = await resultOf(target, prepared);
      write.outcome = 'done';
      return result;
    } catch (error) {
      if (ConnectorError.is(error) && !['unknown_outcome', 'aborted', 'timeout'].includes(error.code))
        write.outcome = 'failed';
      throw error;
    }
  }
}

/** An unexpected error may contain anything, so only its kind is shown. */
function shownError(error: unknown): object {
  if (ConnectorError.is(error)) return error.toJSON();
  if (error instanceof ApprovalPending) return { code: 'approval_pending', message: error.message, pending: error.id };
  const message = `The call failed with an internal error (${(error as Error)?.name}).`;
  return { code: 'invalid_response', message };
}

function withLargePage({ action }: Target, params: Json): Json {
  const size = action.paginated ? pageSizeOf(action.params, params) : undefined;
  if (!size || params[size.name] !== undefined) return params;
  return { ...params, [size.name]: Math.min(codePageSize, size.maximum ?? codePageSize) };
}

type Prepared = Awaited<ReturnType<typeof preparedAction>>;

/** The result passed to code, with the parameters for the next page. */
async function resultOf({ member, entity, action }: Target, { params, run }: Prepared): Promise<object> {
  if (!action.binary) {
    const { data, meta } = await run(params);
    const outcome = { entity: entity.name, action, params, data, meta: (meta ?? {}) as Json };
    return { data: data ?? null, meta: meta ?? null, next: nextPage(member.connector, outcome) ?? null };
  }
  const { range_header, ...others } = params;
  const takesRange = formsOf(action.params).some(({ properties = {} }) => 'range_header' in properties);
  const open = (range: string | undefined) =>
    run({ ...others, ...(range !== undefined && { range_header: range }) }) as Promise<
      Result<ByteStream, DownloadMeta>
    >;
  const unbounded = { tokensOf: () => 0, max: 0, onFile: undefined };
  const read = await readDownload(open, range_header, { takesRange, ...unbounded });
  return { data: 'chunk' in read ? read.chunk : read.file, meta: read.meta };
}
