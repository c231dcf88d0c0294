import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { Dialog } from './dialog.js';

interface PaletteProps {
  /** The pages, by path. */
  readonly pages: ReadonlyArray<readonly [path: string, title: string]>;
}

/** Goes to a page or a connector by its name: Ctrl+K. `/` goes to the search. */
export function Palette({ pages }: PaletteProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      const isTyping = target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
      if (key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        setOpen(true);
      } else if (key === '/' && !isTyping) {
        event.preventDefault();
        navigate('/search');
        // The page is loaded when it is first shown.
        const focus = (tries: number) => {
          const input = document.querySelector<HTMLInputElement>('input[type=search]');
          if (input) input.focus();
          else if (tries > 0) setTimeout(focus, 50, tries - 1);
        };
        setTimeout(focus, 50, 40);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isOpen ? <PaletteDialog pages={pages} close={() => setOpen(false)} /> : null;
}

function PaletteDialog({ pages, close }: PaletteProps & { readonly close: () => void }) {
  const { connectors = [] } = useConsole().feed;
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const targets: ReadonlyArray<readonly [path: string, title: string, kind: string]> = [
    ...pages.map(([path, title]) => [path, title, texts.palette.page] as const),
    ...connectors.map(({ id, name, title }) => [`/connectors/${id}`, name, title] as const),
  ];
  const words = text.toLowerCase().split(/\s+/);
  const matches = targets
    .filter(([, title, kind]) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word)))
    .slice(0, 12);
  const go = (path: string | undefined) => {
    close();
    if (path !== undefined) navigate(path);
  };
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + matches.length) % Math.max(1, matches.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(matches[at]?.[0] ?? (text.trim() === '' ? undefined : `/search?q=${encodeURIComponent(text.trim())}`));
    }
  };
  const combobox = {
    role: 'combobox',
    'aria-label': texts.palette.title,
    'aria-expanded': 'true',
    'aria-controls': 'targets',
    'aria-activedescendant': matches[at] ? `target-${at}` : undefined,
  };
  return (
    <Dialog title={texts.palette.title} close={close}>
      {/* An object, because Preact's types accept a combobox only with a list. */}
      <input
        type="search"
        {...(combobox as object)}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      <div id="targets" role="listbox" class="targets" aria-label={texts.palette.title}>
        {matches.map(([path, title, kind], index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
          <div key={path} id={`target-${index}`} role="option" aria-selected={index === at} onClick={() => go(path)}>
            {title} <span class="quiet">{kind}</span>
          </div>
        ))}
      </div>
      {matches.length === 0 ? <p class="quiet">{texts.palette.search}</p> : null}
    </Dialog>
  );
}
