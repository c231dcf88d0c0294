import { Lexer, type Token } from 'marked';
import type { ComponentChildren } from 'preact';
import { texts } from '../texts/index.js';
import { ExternalLink, shortUrl } from './external-link.js';
import { Highlighted } from './highlighted.js';

/** Maximum rendered length; longer text would slow the page down. */
const maxLength = 50_000;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

interface MarkdownProps {
  readonly text: string;
  /** Words to highlight. */
  readonly words?: string;
}

/** Renders a record's Markdown. HTML stays text and images become links, so nothing is fetched. */
export function Markdown({ text, words = '' }: MarkdownProps) {
  return (
    <div class="markdown">
      {nodes(Lexer.lex(text.slice(0, maxLength), { gfm: true, breaks: true }), words)}
      {text.length > maxLength ? <p class="quiet">{texts.textCut(maxLength)}</p> : null}
    </div>
  );
}

/** Markdown as text on one line, for excerpts. */
export function plainText(markdown: string): string {
  // Nothing in an excerpt is longer than a paragraph.
  const textOf = (tokens: readonly Token[]): string =>
    tokens
      .map((token) => {
        const { type, text = '', tokens: inner, items, header = [], rows = [] } = token as AnyToken;
        if (type === 'html' || type === 'space' || type === 'hr' || type === 'def') return ' ';
        if (type === 'br') return ' ';
        if (type === 'list') return (items ?? []).map((item) => `${textOf(item.tokens ?? [])} `).join('');
        if (type === 'table')
          return [header, ...rows]
            .flat()
            .map((cell) => `${textOf(cell.tokens ?? [])} `)
            .join('');
        return inner ? textOf(inner) + (isBlock.has(type) ? ' ' : '') : decoded(text);
      })
      .join('');
  return textOf(Lexer.lex(markdown.slice(0, maxLength), { gfm: true }))
    .replace(/\s+/g, ' ')
    .trim();
}

const isBlock: ReadonlySet<string> = new Set(['heading', 'paragraph', 'blockquote', 'text']);

const nodes = (tokens: readonly Token[] = [], words = ''): ComponentChildren =>
  tokens.map((token) => node(token as AnyToken, words));

/** Token fields; which ones are present depends on the type. */
interface AnyToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly tokens?: Token[];
  readonly href?: string;
  readonly ordered?: boolean;
  readonly items?: ReadonlyArray<AnyToken & { readonly task?: boolean; readonly checked?: boolean }>;
  readonly header?: readonly AnyToken[];
  readonly rows?: ReadonlyArray<readonly AnyToken[]>;
}

function node(token: AnyToken, words: string): ComponentChildren {
  const { type, raw, text = raw, tokens, href = '' } = token;
  const inner = () =>
    tokens ? nodes(tokens, words) : words === '' ? decoded(text) : <Highlighted text={decoded(text)} words={words} />;
  switch (type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'heading':
      return (
        <p>
          <strong>{inner()}</strong>
        </p>
      );
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard-accessible.
        <section class="sent" tabIndex={0} aria-label={texts.codeBlock}>
          <pre>{text}</pre>
        </section>
      );
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list': {
      const items = token.items?.map((item) => (
        <li>
          {item.task ? (item.checked ? '☑ ' : '☐ ') : null}
          {nodes(item.tokens, words)}
        </li>
      ));
      return token.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <MarkdownTable {...token} />;
    case 'link':
      return <ExternalLink href={href}>{text === href ? shortUrl(href) : inner()}</ExternalLink>;
    case 'image':
      return <ExternalLink href={href}>{texts.image(decoded(text) || href)}</ExternalLink>;
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code>{text}</code>;
    case 'br':
      return <br />;
    case 'html':
      return raw;
    default:
      return inner();
  }
}

const MarkdownTable = ({ header = [], rows = [] }: AnyToken) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard-accessible.
  <section class="scroll" tabIndex={0} aria-label={texts.table}>
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th scope="col">{nodes(tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{nodes(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
