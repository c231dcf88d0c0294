import { texts } from '../texts/index.js';
import { Code } from './code.js';
import { exactTime } from './time.js';

interface ShownOnceProps {
  readonly label: string;
  readonly secret: string;
  /** When the previous secret expires; null if there is none. */
  readonly previousUntil?: string | null;
  readonly close: () => void;
}

/** A secret that is shown only once. */
export const ShownOnce = ({ label, secret, previousUntil, close }: ShownOnceProps) => (
  <section class="notice" aria-label={label} role="status">
    <p>{texts.shownOnce}</p>
    <Code label={label} text={secret} />
    {previousUntil ? <p class="quiet">{texts.previousUntil(exactTime(previousUntil))}</p> : null}
    <button type="button" onClick={close}>
      {texts.stored}
    </button>
  </section>
);
