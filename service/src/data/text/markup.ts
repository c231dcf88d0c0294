import { exceedsLimit } from './normalize.js';

/** What a reader of markup is told, element by element; names are without their prefix. */
export interface Listener {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
  /** How much text has come of it so far: reading ends where there is enough. */
  length?(): number;
}

/** Elements in each other: every end tag may be looked for among all that are open, however small it is when packed. */
const maxDepth = { xml: 128, html: 512 } as const;
const chunkLength = 65_536;

/** Reads HTML or XML from its beginning to its end, or until there is enough; entities of its own are not expanded. */
export async function readMarkup(source: string, isXml: boolean, listener: Listener): Promise<void> {
  const { Parser } = await import('htmlparser2');
  const deepest = isXml ? maxDepth.xml : maxDepth.html;
  let depth = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > deepest) throw new Error(`Its elements are nested more than ${deepest} levels deep.`);
        listener.open?.(local(name), attributes);
      },
      ontext: (text) => listener.text?.(text),
      onclosetag(name) {
        depth -= 1;
        listener.close?.(local(name));
      },
    },
    { xmlMode: isXml, decodeEntities: true },
  );
  let at = 0;
  for (; at < source.length && !exceedsLimit(listener.length?.() ?? 0); at += chunkLength) {
    parser.write(source.slice(at, at + chunkLength));
  }
  if (isXml && at >= source.length && depth > 0) throw new Error('Its XML is truncated.');
  parser.end();
}
