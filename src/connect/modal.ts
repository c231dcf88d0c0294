/** Texts of the overlay. */
export interface ModalTexts {
  /** Heading. */
  readonly title: string;
  /** While the window is open. */
  readonly waiting: string;
  /** Once the window is closed, or a vendor's policy hides it. */
  readonly closed: string;
  /** Button that brings the window to the front, or opens it again. */
  readonly show: string;
  /** Button that stops waiting. */
  readonly cancel: string;
}

const english: ModalTexts = {
  title: 'Connect your account',
  waiting: 'Continue in the other window.',
  closed: 'Continue in the other window. If you closed it, open it again.',
  show: 'Show window',
  cancel: 'Cancel',
};

// A constructed style sheet applies even if the product's content security policy forbids inline styles.
const styles = `
dialog { max-width: 22rem; padding: 1.5rem; border: 0; border-radius: .75rem; color: #1c1e21; background: #fff;
  font: 1rem/1.5 system-ui, sans-serif; text-align: center; box-shadow: 0 1rem 3rem rgb(0 0 0 / 30%); }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
button { display: block; width: 100%; min-height: 2.75rem; margin-top: .5rem; font: inherit; font-weight: 600; cursor: pointer;
  border: 1px solid #1c1e21; border-radius: .375rem; color: #fff; background: #1c1e21; }
button + button { color: inherit; background: transparent; border-color: transparent; }
:focus-visible { outline: 3px solid #1d4ed8; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  dialog { color: #eceef1; background: #1b1e23; }
  button { color: #1c1e21; background: #eceef1; }
  :focus-visible { outline-color: #8ab4ff; }
}`;

/** How often the overlay looks whether its window is still open, in milliseconds. */
const lookMs = 500;

/** What the overlay's buttons do. */
interface ModalActions {
  isClosed(): boolean;
  show(): void;
  cancel(): void;
}

/** Shows the overlay on the product's page. `part` names let the product restyle it: `dialog`, `show` and `cancel`. */
export function showModal(texts: Partial<ModalTexts> | undefined, { isClosed, show, cancel }: ModalActions) {
  const labels = { ...english, ...texts };
  const host = document.createElement('agent-connectors-modal');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const add = <Tag extends keyof HTMLElementTagNameMap>(parent: Node, tag: Tag, text: string) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.appendChild(element);
    return element;
  };
  const dialog = add(root, 'dialog', '');
  dialog.part.add('dialog');
  dialog.setAttribute('aria-labelledby', 'title');
  add(dialog, 'h2', labels.title).id = 'title';
  const message = add(dialog, 'p', labels.waiting);
  message.setAttribute('role', 'status');
  for (const [name, run] of Object.entries({ show, cancel })) {
    const button = add(dialog, 'button', labels[name as 'show' | 'cancel']);
    button.type = 'button';
    button.part.add(name);
    button.addEventListener('click', run);
  }
  // The Escape key.
  dialog.addEventListener('cancel', cancel);
  document.body.appendChild(host);
  dialog.showModal();
  const look = setInterval(() => {
    const text = isClosed() ? labels.closed : labels.waiting;
    if (message.textContent !== text) message.textContent = text;
  }, lookMs);
  return {
    /** Removes the overlay. */
    remove() {
      clearInterval(look);
      host.remove();
    },
  };
}
