import { objectOf, onOneLine } from './text.js';

/** A gap with its detail; services report more. */
interface Gap {
  readonly detail: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly permanent?: unknown;
}

const isGap = (value: unknown): value is Gap => typeof objectOf(value)?.detail === 'string';

/** Permanent gaps that a conversation was told of, as lines with their sources. */
export type ReportedGaps = Set<string>;

/** Whose gaps are reported, and to whom. */
interface Reporting<Source> {
  /** Name of a gap's source. */
  readonly sourceOf?: (gap: Source) => string;
  /** Whether lines name their sources; true by default. */
  readonly isNamed?: boolean;
  /** Permanent gaps that are not repeated; those that are reported now are added. */
  readonly reported?: ReportedGaps | undefined;
}

/** Most lines about what is missing. */
const maxLines = 10;

/**
 * What a search does not cover, in words, temporary gaps first; undefined if it is not reported in a known form. Gaps
 * that several sources share are one line.
 */
export function missingLines<Source extends object>(
  missing: unknown,
  { sourceOf, isNamed = true, reported }: Reporting<Source> = {},
): string[] | undefined {
  if (!Array.isArray(missing) || !missing.every(isGap)) return undefined;
  const sources = new Map<string, string[]>();
  for (const gap of [...missing].sort((one, other) => Number(one.permanent ?? 0) - Number(other.permanent ?? 0))) {
    const { detail, permanent } = gap;
    const kind = permanent === true ? 'Not included' : 'Incomplete';
    const range = (['before', 'after'] as const).map((name) =>
      typeof gap[name] === 'string' ? ` ${name} ${onOneLine(gap[name])}` : '',
    );
    const line = `${kind}${range.join('')}: ${onOneLine(detail)}`;
    const source = sourceOf?.(gap as unknown as Source);
    if (permanent === true && reported?.has(`${source} ${line}`)) continue;
    sources.set(line, [...(sources.get(line) ?? []), ...(source === undefined ? [] : [source])]);
  }
  const shown = [...sources].slice(0, maxLines);
  for (const [line, names] of shown) {
    for (const name of names) reported?.add(`${name} ${line}`);
  }
  const lines = shown.map(([line, names]) => (names.length > 0 && isNamed ? `${line} (${names.join(', ')})` : line));
  return sources.size <= maxLines ? lines : [...lines, `${sources.size - maxLines} more gaps are not listed.`];
}
