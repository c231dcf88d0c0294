import { exceedsLimit } from './normalize.js';
import { readXml } from './xml.js';

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

/** Parses HTML or XML until the end or until there is enough text; custom entities are not expanded. */
export async function readMarkup(source: string, isXml: boolean, listener: Listener): Promise<void> {
  if (source === '') return;
  const isEnough = () => exceedsLimit(listener.length?.() ?? 0);
  const deepest = isXml ? maxDepth.xml : maxDepth.html;
  let depth = 0;
  const events = {
    open(name: string, attributes: Readonly<Record<string, string>>) {
      depth += 1;
      if (depth > deepest) throw new Error(`elements are nested more than ${deepest} levels deep`);
      listener.open?.(name, attributes);
    },
    text: (text: string) => listener.text?.(text),
    close(name: string) {
      depth -= 1;
      listener.close?.(name);
    },
    isEnough,
  };
  if (isXml) {
    if (!readXml(source, events)) throw new Error('Its XML is truncated.');
    return;
  }
  const { Parser } = await import('htmlparser2');
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser({
    onopentag: (name, attributes) => events.open(local(name), attributes),
    ontext: events.text,
    onclosetag: (name) => events.close(local(name)),
  });
  for (let at = 0; at < source.length && !isEnough(); at += chunkLength) {
    parser.write(source.slice(at, at + chunkLength));
  }
  parser.end();
}
