import type { ComponentChildren } from 'preact';
import { useAction } from '../data/use-action.js';
import { texts } from '../texts/index.js';
import { Dialog } from './dialog.js';
import { ErrorNotice } from './notice.js';

interface ConfirmProps {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  /** Called in place of `close` once it is done. */
  readonly done?: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done that cannot be undone, and closes once it is done. */
export function Confirm({ title, action, act, close, done = close, children }: ConfirmProps) {
  const { busy, error, run } = useAction();
  return (
    <Dialog title={title} close={close}>
      {children}
      {error ? <ErrorNotice error={error} /> : null}
      <div class="buttons">
        <button
          type="button"
          class="danger"
          disabled={busy}
          onClick={async () => {
            if (await run(act)) done();
          }}
        >
          {action}
        </button>
        <button type="button" onClick={close}>
          {texts.cancel}
        </button>
      </div>
    </Dialog>
  );
}
