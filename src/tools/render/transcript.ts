import type { TranscriptLayout } from '../../action/result.js';
import { objectOf, onOneLine } from './text.js';

interface Turn {
  readonly speaker: string;
  readonly topic: string | undefined;
  readonly time: number | undefined;
  readonly text: string;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((found: unknown, key) => objectOf(found)?.[key], value);

/** Milliseconds since the start of the call, or since 1970. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number(value ?? Number.NaN);
  return Number.isFinite(time) ? time : undefined;
}

function turnOf(turn: unknown, layout: TranscriptLayout): Turn | undefined {
  const { speaker, sentences, text, start, topic } = layout;
  const parts = sentences === undefined ? [turn] : valueAt(turn, sentences);
  if (!objectOf(turn) || !Array.isArray(parts)) return undefined;
  return {
    speaker: speaker.map((path) => textOf(valueAt(turn, path))).find((found) => found !== undefined) ?? 'unknown',
    topic: topic === undefined ? undefined : textOf(valueAt(turn, topic)),
    time: timeOf(valueAt(parts[0], start)),
    text: parts.map((part) => textOf(valueAt(part, text)) ?? '').join(' '),
  };
}

const twoDigits = (number: number) => String(number).padStart(2, '0');

function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const rest = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

const isId = (speaker: string) => /^[\w-]{9,}$/.test(speaker) && /\d{3}/.test(speaker);

/**
 * Transcript lines as `[mm:ss] Name: text`; ids that replace speaker names are written once. Undefined if there is no
 * transcript.
 */
export function transcriptLines(record: unknown, layout: TranscriptLayout): string[] | undefined {
  const found = objectOf(record)?.[layout.turns];
  if (!Array.isArray(found) || found.length === 0) return undefined;
  const turns = found.map((turn) => turnOf(turn, layout));
  if (!turns.every((turn) => turn !== undefined)) return undefined;
  const ids = [...new Set(turns.map(({ speaker }) => speaker).filter(isId))];
  const nameOf = (speaker: string) => (isId(speaker) ? `S${ids.indexOf(speaker) + 1}` : onOneLine(speaker));
  // Elapsed time is more useful than time of day.
  const isRelative = typeof valueAt(found[0], layout.start) !== 'string';
  const begin = isRelative ? 0 : (turns[0]!.time ?? 0);
  const lines = ids.length === 0 ? [] : [`speakers: ${ids.map((id) => `${nameOf(id)} = ${id}`).join(', ')}`];
  if (ids.length > 0 && layout.names !== undefined) lines.push(`names of speakers: ${layout.names}`);
  let current: string | undefined;
  for (const { speaker, topic, time, text } of turns) {
    if (topic !== undefined && topic !== current) lines.push(`topic: ${onOneLine(topic)}`);
    current = topic ?? current;
    lines.push(`${time === undefined ? '' : `[${clock(time - begin)}] `}${nameOf(speaker)}: ${onOneLine(text)}`);
  }
  return lines;
}
