import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/index.js';

interface SelectProps {
  /** Attributes of the control, such as its id or `aria-label`. */
  readonly control: { readonly id?: string; readonly 'aria-label'?: string; readonly 'aria-describedby'?: string };
  readonly value: string;
  readonly options: ReadonlyArray<readonly [value: string, title: string]>;
  readonly choose: (value: string) => void;
}

/** Options that fit on a screen, and that people find without typing. */
const maxNativeOptions = 15;

/** A select box: the browser's, or one with a search if it has many options. */
export const Select = ({ control, value, options, choose }: SelectProps) =>
  options.length > maxNativeOptions ? (
    <SearchSelect control={control} value={value} options={options} choose={choose} />
  ) : (
    <select {...control} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {options.map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  );

/** A select box whose options are found by typing, with the keys of a native one. */
function SearchSelect({ control, value, options, choose }: SelectProps) {
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState<string>();
  const [at, setAt] = useState(0);
  const isOpen = text !== undefined;
  const selected = options.find(([each]) => each === value)?.[1] ?? '';
  const words = (text ?? '').toLowerCase().split(/\s+/);
  const matches = options.filter(([each, title]) =>
    words.every((word) => title.toLowerCase().includes(word) || each.toLowerCase().includes(word)),
  );
  const open = () => {
    if (isOpen) return;
    setText('');
    setAt(
      Math.max(
        0,
        options.findIndex(([each]) => each === value),
      ),
    );
  };
  const close = () => setText(undefined);
  const take = (index: number) => {
    const match = matches[index];
    close();
    if (match && match[0] !== value) choose(match[0]);
  };
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, at, text]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[key];
    if (step !== undefined) {
      event.preventDefault();
      if (isOpen) setAt(Math.min(Math.max(0, at + step), Math.max(0, matches.length - 1)));
      else open();
    } else if (isOpen && key === 'Enter') {
      event.preventDefault();
      take(at);
    } else if (isOpen && key === 'Escape') {
      // Closes the list, not the dialog that contains it.
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (!isOpen && key.length === 1 && key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // The search starts with this letter, not with the title of the selected option.
      event.preventDefault();
      setText(key);
      setAt(0);
    }
  };
  const combobox = {
    ...control,
    role: 'combobox',
    'aria-expanded': isOpen,
    'aria-controls': listId,
    'aria-autocomplete': 'list',
    'aria-activedescendant': isOpen && matches[at] ? `${listId}-${at}` : undefined,
  };
  return (
    <div class="search-select">
      {/* An object, because Preact's types accept a combobox only with a list. */}
      <input
        {...(combobox as object)}
        autoComplete="off"
        spellcheck={false}
        placeholder={isOpen ? selected : undefined}
        value={text ?? selected}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onClick={open}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <div id={listId} ref={list} role="listbox" class="targets" aria-label={texts.options} hidden={!isOpen}>
        {isOpen
          ? matches.map(([each, title], index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
              <div
                key={each}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                class={each === value ? 'current' : undefined}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(index)}
              >
                {title}
              </div>
            ))
          : null}
        {isOpen && matches.length === 0 ? <p class="quiet">{texts.noOptions}</p> : null}
      </div>
    </div>
  );
}
