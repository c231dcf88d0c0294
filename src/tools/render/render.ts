import type { RecordLayout } from '../../action/result.js';
import type { View } from '../../call/shape.js';
import { type VisibleText, visibleJson } from '../fence.js';
import { missingLines, type ReportedGaps } from './missing.js';
import { reportOf } from './report.js';
import { tableOf } from './table.js';
import { compactJson, objectOf, onOneLine } from './text.js';
import { transcriptLines } from './transcript.js';

/** Input for rendering. */
export interface Rendered {
  readonly data: unknown;
  /** The readable meta. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The full meta, which contains the column names of reports. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly layout: RecordLayout | undefined;
  /** Whether fractions in a report are rounded to six digits. */
  readonly isRounded: boolean;
  /** Whether null fields are shown, because the fields were requested. */
  readonly showsNulls: boolean;
  /** Whose gaps these are. */
  readonly source: string;
  /** Permanent gaps that are not repeated; undefined to show all. */
  readonly reported: ReportedGaps | undefined;
}

/** A record with a transcript: its other fields as JSON, then the lines. */
function withTranscript(record: unknown, { transcript }: RecordLayout): string[] {
  const lines = transcript && transcriptLines(record, transcript);
  if (!lines) return [compactJson(record)];
  const { [transcript.turns]: _, ...others } = record as Record<string, unknown>;
  return [compactJson(others), ...lines];
}

function recordLines({ data, headers, layout = {}, isRounded, showsNulls }: Rendered): string[] {
  const records = Array.isArray(data) ? data : undefined;
  if (layout.columns && records) {
    const lines = reportOf(records, headers, layout.columns, isRounded);
    if (lines) return lines;
  }
  if (layout.transcript) {
    const { turns } = layout.transcript;
    const all = records ?? [data];
    const isTold = all.some((record) => Array.isArray(objectOf(record)?.[turns]));
    if (isTold) return all.flatMap((record) => withTranscript(record, layout));
  }
  return (
    (records && tableOf(records, showsNulls)) ?? (records ?? [data]).map((record) => compactJson(record, showsNulls))
  );
}

/**
 * Renders a result for a model: what it does not cover, notes, meta, then a table, a transcript, or one record per line,
 * without hidden characters.
 */
export function renderResult(result: Rendered): VisibleText {
  const { source, reported } = result;
  const { columns = {} } = result.layout ?? {};
  const lines = recordLines(result);
  const isReport = Object.keys(columns).length > 0 && !lines[0]?.startsWith('{');
  const missing = missingLines(result.meta.missing, {
    sourceOf: () => source,
    isNamed: false,
    reported,
  });
  const notes = notesIn(result.meta);
  const said = [
    ...(isReport ? Object.values(columns) : []),
    ...(missing ? ['missing', 'complete'] : []),
    ...(notes ? ['notes'] : []),
  ];
  const meta = Object.entries(result.meta).filter(([key]) => !said.includes(key));
  const metaJson = compactJson(Object.fromEntries(meta));
  const lead = visibleJson((missing ?? []).map((line) => `${line}\n`).join(''));
  const { text, hidden } = visibleJson(
    [...(notes ?? []), ...(metaJson === '{}' ? [] : [`meta ${metaJson}`]), ...lines].join('\n'),
  );
  return { lead: lead.text, text, hidden: lead.hidden + hidden };
}

/** Notes of a connector as lines; undefined if they are anything else than texts. */
const notesIn = ({ notes }: Meta): string[] | undefined =>
  Array.isArray(notes) && notes.every((note) => typeof note === 'string')
    ? notes.map((note) => `Note: ${onOneLine(note)}`)
    : undefined;

type Meta = Readonly<Record<string, unknown>>;

/** Useful only to programs. */
const isBookkeeping = (key: string): boolean => /^(took_ms|current_page_number)$|quota/i.test(key);
/** Pagination state, which the hint about the next page repeats. */
const isPosition = (key: string): boolean => /^has_?(more|next)|cursor$/i.test(key);

const isReady = (value: unknown): boolean => {
  const { status, ready_for_search, message } = objectOf(value) ?? {};
  return status === 'ready' && ready_for_search === true && (message === null || message === undefined);
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** The readable part of a result's meta. `next` contains the next page's parameters, which a hint may already list. */
export function metaToRead(meta: Meta, view: View, next: Meta | undefined, isNamed: boolean): Meta {
  if (view === 'full') return meta;
  const values = new Set(Object.values(next ?? {}));
  const kept = Object.entries(meta).filter(([key, value]) =>
    values.has(value) ? !isNamed : !isEmpty(value) && !isBookkeeping(key) && !isPosition(key) && !isReady(value),
  );
  return Object.fromEntries(kept);
}
