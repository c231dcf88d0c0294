import type { ComponentChildren } from 'preact';
import { useAction } from '../data/use-action.js';
import { texts } from '../texts/index.js';
import { Dialog } from './dialog.js';
import { ErrorNotice } from './notice.js';

interface ConfirmProps {
  readonly title: string;
  /** Label of the button. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  /** Called instead of `close` after the action succeeds. */
  readonly done?: () => void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation before an irreversible action and closes when done. */
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
