/** A page as seen by a user without JavaScript. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
  /** The text of its heading. */
  readonly heading: string;
  /** Its visible text. */
  readonly text: string;
  readonly forms: readonly Form[];
}

/** A form on a page, with the values that it would submit unchanged. */
export interface Form {
  readonly method: string;
  readonly action: string;
  /** Values by name: hidden inputs, checked boxes, selected options and empty text inputs. */
  readonly fields: URLSearchParams;
  /** Buttons by label, each with the name and value that it submits. */
  readonly buttons: ReadonlyMap<string, readonly [name: string, value: string] | undefined>;
  readonly html: string;
}

/** Optional headers for a submitted form. */
export type ExtraHeaders = Readonly<Record<string, string>>;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const plain = (text: string) => text.replaceAll(/&(#39|\w+);/g, (whole, name) => entities[name] ?? whole);
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : plain(found);
};
const flag = (tag: string, name: string) => new RegExp(`\\s${name}(?=[\\s>])`).test(tag);

function formIn(html: string, base: string): Form {
  const fields = new URLSearchParams();
  for (const [tag] of html.matchAll(/<(?:input|textarea)\s[^>]*>/g)) {
    const type = attribute(tag, 'type') ?? 'text';
    if ((type === 'checkbox' || type === 'radio') && !flag(tag, 'checked')) continue;
    fields.append(attribute(tag, 'name')!, attribute(tag, 'value') ?? (type === 'checkbox' ? 'on' : ''));
  }
  for (const [select] of html.matchAll(/<select\s[\s\S]*?<\/select>/g)) {
    const options = [...select.matchAll(/<option\s[^>]*>/g)].map(([option]) => option);
    const chosen = options.find((option) => flag(option, 'selected')) ?? options[0];
    if (chosen) fields.append(attribute(select, 'name')!, attribute(chosen, 'value')!);
  }
  const buttons = new Map<string, readonly [string, string] | undefined>();
  for (const [button, content] of html.matchAll(/<button[^>]*>([\s\S]*?)<\/button>/g)) {
    const name = attribute(button, 'name');
    const words = content!.replaceAll(/<svg[\s\S]*?<\/svg>|<[^>]*>/g, ' ');
    const text = words.replaceAll(/\s+/g, ' ').trim();
    buttons.set(plain(text), name === undefined ? undefined : [name, attribute(button, 'value') ?? '']);
  }
  const [opening] = html.match(/<form[^>]*>/)!;
  const action = new URL(attribute(opening, 'action') ?? base, base);
  // A form without an action keeps the query of the page's URL.
  return { method: attribute(opening, 'method')?.toUpperCase() ?? 'GET', action: action.href, fields, buttons, html };
}

/** A browser without JavaScript: cookies by origin, redirects, forms. */
export class Browser {
  readonly visited: string[] = [];
  readonly seen: string[] = [];
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #fetch: typeof globalThis.fetch;

  constructor(fetch: typeof globalThis.fetch) {
    this.#fetch = fetch;
  }

  open(url: string, headers: ExtraHeaders = {}): Promise<Page> {
    return this.#load(url, { headers });
  }

  /** Fills in a form and clicks one of its buttons. */
  submit(form: Form, values: Readonly<Record<string, string | readonly string[]>> = {}, press?: RegExp): Promise<Page> {
    const fields = new URLSearchParams(form.fields);
    for (const [name, value] of Object.entries(values)) {
      fields.delete(name);
      for (const one of [value].flat()) fields.append(name, one);
    }
    const found = [...form.buttons].find(([text]) => press?.test(text) ?? true);
    if (!found) throw new Error(`The form has no button ${press}: ${[...form.buttons.keys()].join(', ')}.`);
    if (found[1]) fields.append(...found[1]);
    const origin = new URL(form.action).origin;
    return this.#load(form.action, {
      method: form.method,
      body: fields.toString(),
      headers: {
        origin,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
    });
  }

  async #load(url: string, init: RequestInit): Promise<Page> {
    let [at, how] = [url, init];
    for (let hop = 0; hop < 10; hop++) {
      this.visited.push(at);
      const { origin } = new URL(at);
      const jar = this.#cookies.get(origin) ?? new Map<string, string>();
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { ...(how.headers as ExtraHeaders), ...(cookie && { cookie }) };
      const response = await this.#fetch(at, { ...how, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') jar.delete(name!);
        else jar.set(name!, value!);
      }
      this.#cookies.set(origin, jar);
      const html = await response.text();
      this.seen.push(html, JSON.stringify([...response.headers]));
      const location = response.headers.get('location');
      const refresh = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(html)?.[1];
      const next = location ?? (refresh && plain(refresh));
      if (!next) return pageIn(at, response, html);
      [at, how] = [new URL(next, at).href, {}];
    }
    throw new Error('Too many redirects.');
  }
}

const pageIn = (url: string, { status, headers }: Response, html: string): Page => ({
  status,
  url,
  headers,
  html,
  heading: plain(/<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? ''),
  text: plain(html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')),
  forms: [...html.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form]) => formIn(form, url)),
});

/** The form that contains the text. */
export function formWith({ forms, text }: Page, words: RegExp): Form {
  const found = forms.find(({ html }) => words.test(html));
  if (!found) throw new Error(`No form has ${words}: ${text}`);
  return found;
}
