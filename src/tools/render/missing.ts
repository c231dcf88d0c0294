import { objectOf, onOneLine } from './text.js';

/** A gap with its detail; services report more. */
interface Gap {
  readonly detail: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly permanent?: unknown;
}

const isGap = (value: unknown): value is Gap => typeof objectOf(value)?.detail === 'string';

/** Most lines about what is missing. */
const maxLines = 10;

/**
 * What a search does not cover, in words, temporary gaps first; undefined if it is not reported in a known form. Gaps
 * that several sources share are one line.
 */
export function missingLines<Source extends object>(
  missing: unknown,
  nameOf: (gap: Source) => string | undefined = () => undefined,
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
    sources.set(line, [...(sources.get(line) ?? []), nameOf(gap as unknown as Source) ?? []].flat());
  }
  const lines = [...sources].map(([line, names]) => (names.length === 0 ? line : `${line} (${names.join(', ')})`));
  return lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `${lines.length - maxLines} more gaps are not listed.`];
}
