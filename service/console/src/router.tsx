import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';

const base = '/console';
const navigationEvent = 'console:moved';

/** Navigates to a console page. */
export function navigate(path: string): void {
  go(base + path, null);
}

function go(url: string, state: unknown): void {
  history.pushState(state, '', url);
  dispatchEvent(new Event(navigationEvent));
}

/** The current page's path, relative to the console's base URL. */
export const usePath = (): string => useLocation(currentPath);

/** A part of the location, kept up to date. */
function useLocation(read: () => string): string {
  const [part, setPart] = useState(read);
  useEffect(() => {
    const update = () => setPart(read());
    update();
    for (const event of [navigationEvent, 'popstate']) addEventListener(event, update);
    return () => {
      for (const event of [navigationEvent, 'popstate']) removeEventListener(event, update);
    };
  }, [read]);
  return part;
}

const currentQuery = (): string => location.search;

/** What the reader has chosen on a page, by name; a missing name is the default. */
export type Choices = Readonly<Record<string, string | undefined>>;

/** The choices in the URL, so that reloading, going back and sharing a link keep them; and a function that changes some. */
export function useChoices(): readonly [URLSearchParams, (changes: Choices) => void] {
  const query = new URLSearchParams(useLocation(currentQuery));
  return [query, changeChoices];
}

function changeChoices(changes: Choices, state: unknown = null): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value = ''] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.size === 0 ? '' : `?${query}`;
  if (text !== location.search) go(location.pathname + text, state);
}

/** Cursors of the pages of a list up to the current one, which the URL contains; the first page has none. */
export function usePages(): readonly [readonly string[], (cursors: readonly string[]) => void] {
  const [query] = useChoices();
  const cursor = query.get('cursor');
  const page = Number(query.get('page') ?? 1);
  const stored = (history.state as { readonly cursors?: readonly string[] } | null)?.cursors;
  // A shared link knows only the cursor of its own page.
  const unknown = Array.from({ length: Math.max(0, Math.min(page, 10_000) - 2) }, () => '');
  const cursors = cursor === null ? [] : stored?.at(-1) === cursor ? stored : [...unknown, cursor];
  const choose = useCallback((all: readonly string[]) => {
    const last = all.at(-1) ?? '';
    const kept = last === '' ? [] : all;
    changeChoices({ cursor: last, page: last === '' ? '' : String(kept.length + 1) }, { cursors: kept });
  }, []);
  return [cursors, choose];
}

/** Choices that start a list from its first page. */
export const firstPage: Choices = { cursor: '', page: '' };

/** Sets the title of the browser's tab. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'agent-connectors'].filter((part) => part !== '').join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

const currentPath = (): string => location.pathname.slice(base.length).replace(/\/$/, '') || '/';

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Whether the link points to the current page. */
  readonly current?: boolean;
}

/** A link within the console. */
export const Link = ({ to, children, current = false, class: name }: LinkProps) => (
  <a
    href={base + to}
    class={name}
    aria-current={current ? 'page' : undefined}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);
