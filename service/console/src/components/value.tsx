import { isEmpty, labelOf, labelsOf } from '../data/record.js';
import { ExternalLink } from './external-link.js';
import { exactTime } from './time.js';

const maxLength = 160;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** A value in a cell. Long values can be expanded. */
export function Value({ of }: { readonly of: unknown }) {
  if (isEmpty(of)) return <span class="quiet">–</span>;
  const label = labelOf(of) ?? labelsOf(of);
  if (label !== undefined) return <span title={JSON.stringify(of)}>{label}</span>;
  if (typeof of === 'string' && instant.test(of)) {
    return (
      <time dateTime={of} title={of}>
        {exactTime(of)}
      </time>
    );
  }
  if (typeof of === 'string' && /^https:\/\/\S+$/.test(of)) {
    return <ExternalLink href={of}>{of.length > maxLength ? `${of.slice(0, maxLength)}…` : of}</ExternalLink>;
  }
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  if (text.length <= maxLength) return <span>{text}</span>;
  return (
    <details>
      <summary>{text.slice(0, maxLength)}…</summary>
      {text}
    </details>
  );
}
