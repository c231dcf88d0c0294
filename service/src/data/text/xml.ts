/** Receives XML events; names are passed without their prefix. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
  /** Asked from time to time: reading stops once there is enough. */
  isEnough(): boolean;
}

const namedEntities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Custom entities are not expanded. */
const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(?:x([\da-f]{1,6})|(\d{1,7}))|(lt|gt|amp|quot|apos));/gi, (whole, hex, digits, name) => {
        if (name !== undefined) return namedEntities[name] ?? whole;
        const code = Number.parseInt(hex ?? digits, hex === undefined ? 10 : 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
      })
    : text;

const [slash, equals, greater, exclamation, question] = [0x2f, 0x3d, 0x3e, 0x21, 0x3f];
const [doubleQuote, singleQuote, space] = [0x22, 0x27, 0x20];
const noAttributes = {};
const checkInterval = 65_536;
/** Such as `&#1114111;`. */
const longestEntity = 10;

/** An element that has not ended, with its name and the name without its prefix. */
interface Open {
  readonly name: string;
  readonly local: string;
}

/**
 * Reads XML in one pass, several times as fast as a parser that also reads HTML, since offices write megabytes of it.
 * Tolerant: end tags without a start are skipped, and an end tag ends the elements inside it, too.
 *
 * Returns whether it was read to its end without elements left open, or `isEnough`.
 */
export function readXml(source: string, { open, text, close, isEnough }: XmlListener): boolean {
  const stack: Open[] = [];
  let nextCheck = checkInterval;
  let at = 0;
  const isNameEnd = (code: number): boolean => code <= space || code === slash || code === greater;
  const endElement = (name: string): void => {
    if (!stack.some((element) => element.name === name)) return;
    for (let ended = stack.pop(); ended; ended = stack.pop()) {
      close(ended.local);
      if (ended.name === name) return;
    }
  };
  /** Where what starts here ends, behind `mark`; the end of the source if it does not. */
  const behind = (mark: string, from: number): number => {
    const found = source.indexOf(mark, from);
    return found < 0 ? source.length : found + mark.length;
  };
  const skipSpace = (): void => {
    while (source.charCodeAt(at) <= space) at += 1;
  };
  /** The attributes of a start tag, up to its end; undefined if it does not end. */
  const readAttributes = (): { attributes: Record<string, string>; isEmpty: boolean } | undefined => {
    let attributes: Record<string, string> = noAttributes;
    for (let isEmpty = false; at < source.length; ) {
      skipSpace();
      const code = source.charCodeAt(at);
      if (code === greater) {
        at += 1;
        return { attributes, isEmpty };
      }
      isEmpty = code === slash;
      if (isEmpty) {
        at += 1;
        continue;
      }
      const start = at;
      at += 1;
      while (at < source.length && source.charCodeAt(at) !== equals && !isNameEnd(source.charCodeAt(at))) at += 1;
      const name = source.slice(start, at);
      skipSpace();
      if (source.charCodeAt(at) !== equals) continue;
      at += 1;
      skipSpace();
      const quote = source.charCodeAt(at);
      const isQuoted = quote === doubleQuote || quote === singleQuote;
      const from = isQuoted ? at + 1 : at;
      if (isQuoted) at = behind(source[at]!, from);
      else while (at < source.length && !isNameEnd(source.charCodeAt(at))) at += 1;
      if (attributes === noAttributes) attributes = {};
      attributes[name] ??= decodeEntities(source.slice(from, isQuoted ? at - 1 : at));
    }
    return undefined;
  };
  while (at < source.length) {
    if (at >= nextCheck) {
      if (isEnough()) break;
      nextCheck = at + checkInterval;
    }
    const tag = source.indexOf('<', at);
    let end = tag < 0 ? source.length : tag;
    if (end - at > checkInterval) {
      // A long text is passed on in pieces, none of which ends inside an entity.
      end = at + checkInterval;
      const entity = source.lastIndexOf('&', end);
      if (entity > end - longestEntity) end = entity;
      text(decodeEntities(source.slice(at, end)));
      at = end;
      continue;
    }
    if (end > at) text(decodeEntities(source.slice(at, end)));
    if (tag < 0) break;
    at = tag + 1;
    const code = source.charCodeAt(at);
    if (code === slash) {
      at = behind('>', at);
      endElement(source.slice(tag + 2, at - 1).trimEnd());
    } else if (code === question) at = behind('?>', at);
    else if (code === exclamation) {
      if (source.startsWith('<!--', tag)) at = behind('-->', at + 3);
      else if (source.startsWith('<![CDATA[', tag)) {
        at = behind(']]>', tag);
        text(source.slice(tag + 9, at - 3));
      } else at = behind('>', at);
    } else if (isNameEnd(code)) text('<');
    else {
      while (at < source.length && !isNameEnd(source.charCodeAt(at))) at += 1;
      const name = source.slice(tag + 1, at);
      const rest = readAttributes();
      if (!rest) break;
      const local = name.slice(name.indexOf(':') + 1);
      open(local, rest.attributes);
      if (rest.isEmpty) close(local);
      else stack.push({ name, local });
    }
  }
  const isWhole = stack.length === 0;
  while (stack.length > 0) close(stack.pop()!.local);
  return isWhole || isEnough();
}
