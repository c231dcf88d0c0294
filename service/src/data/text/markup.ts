import { exceedsLimit } from './normalize.js';

/** Receives markup events; names are passed without their prefix. */
export interface Listener {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Length of the text so far: reading stops once there is enough. */
  length?(): number;
}

/** Nesting limit: every end tag may search all open elements, and markup compresses well. */
const maxDepth = { xml: 128, html: 512 } as const;
const chunkLength = 65_536;

/** Loaded once: a document has many parts. */
let library: Promise<typeof import('htmlparser2')> | undefined;

/** Parses HTML or XML until the end or until there is enough text; custom entities are not expanded. */
export async function readMarkup(source: string, isXml: boolean, listener: Listener): Promise<void> {
  if (source === '') return;
  library ??= import('htmlparser2');
  const { Parser } = await library;
  const deepest = isXml ? maxDepth.xml : maxDepth.html;
  let depth = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > deepest) throw new Error(`elements are nested more than ${deepest} levels deep`);
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
