import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts/index.js';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog; Escape closes it. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DialogButtonsProps {
  /** The label of the button that submits the form. */
  readonly submit: string;
  readonly disabled: boolean;
  readonly close: () => void;
}

/** The buttons of a dialog's form. */
export const DialogButtons = ({ submit, disabled, close }: DialogButtonsProps) => (
  <div class="buttons">
    <button type="submit" class="primary" disabled={disabled}>
      {submit}
    </button>
    <button type="button" onClick={close}>
      {texts.cancel}
    </button>
  </div>
);
