import { useState } from 'preact/hooks';
import { texts } from '../texts/index.js';

/** Text to copy: a command, a configuration, a response. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = () =>
    navigator.clipboard ? navigator.clipboard.writeText(text).then(() => setCopied(true)) : setCopied(false);
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <button type="button" class="plain" onClick={copy} aria-label={`${texts.copy}: ${label}`}>
          {copied === undefined ? texts.copy : copied ? texts.copied : texts.copyByHand}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard-accessible. */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </figure>
  );
}
