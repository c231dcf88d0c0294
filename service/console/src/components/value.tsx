import { isEmpty, labelOf, labelsOf } from '../data/record.js';
import { ExternalLink, shortUrl } from './external-link.js';
import { briefTime, exactTime } from './time.js';

const maxLength = 160;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const mimeType = /^(application|audio|image|text|video)\/[\w.+-]+$/;

interface ValueProps {
  readonly of: unknown;
  /** Whether it has to fit on one line; otherwise, long values can be expanded. */
  readonly brief?: boolean;
}

/** A value in a cell. */
export function Value({ of, brief = false }: ValueProps) {
  if (isEmpty(of)) return <span class="quiet">–</span>;
  const label = labelOf(of) ?? labelsOf(of);
  if (label !== undefined) return <span title={JSON.stringify(of)}>{label}</span>;
  if (typeof of === 'string' && instant.test(of)) {
    return (
      <time dateTime={of} title={of}>
        {brief ? briefTime(of) : exactTime(of)}
      </time>
    );
  }
  if (typeof of === 'string' && /^https:\/\/\S+$/.test(of)) {
    return <ExternalLink href={of}>{shortUrl(of)}</ExternalLink>;
  }
  if (typeof of === 'string' && brief && mimeType.test(of)) return <span title={of}>{of.split(/[/.]/).at(-1)}</span>;
  // Scores have up to 18 digits; whole numbers may be ids.
  if (typeof of === 'number' && !Number.isInteger(of))
    return <span title={String(of)}>{Number(of.toPrecision(4))}</span>;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  if (brief) return <span title={text.slice(0, 1000)}>{text.slice(0, maxLength)}</span>;
  if (text.length <= maxLength) return <span>{text}</span>;
  return (
    <details>
      <summary>{text.slice(0, maxLength)}…</summary>
      {text}
    </details>
  );
}
