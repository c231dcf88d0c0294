import { readMarkup } from './markup.js';
import { attribute, isOn } from './parts.js';

/** The role of a style's paragraphs or words. */
export interface Style {
  readonly heading: number | undefined;
  /** The id of its list. */
  readonly list: string | undefined;
  readonly level: number | undefined;
  /** Its ancestor that refers to the list, to which a level may belong. */
  readonly listStyle: string;
  readonly isHidden: boolean;
}

interface StoredStyle {
  readonly name: string;
  readonly base: string;
  readonly list: string | undefined;
  readonly level: number | undefined;
  readonly isHidden: boolean | undefined;
}

/** More generations are a circle, or hostile. */
const maxGenerations = 20;

/** The heading level of a style, by its id or name. */
export function headingLevel(id: string, name: string): number | undefined {
  const match = /^Heading([1-6]?)$/.exec(id) ?? /^heading(?: ([1-6]))?$/i.exec(name);
  return match ? Number(match[1] || 1) : undefined;
}

/** The styles of a document by id; a paragraph style and a character style can have the same id. */
export interface Styles {
  readonly paragraph: ReadonlyMap<string, Style>;
  readonly character: ReadonlyMap<string, Style>;
}

/** Reads the part with the styles. */
export async function stylesOf(source: string): Promise<Styles> {
  const stored = { paragraph: new Map<string, StoredStyle>(), character: new Map<string, StoredStyle>() };
  let id = '';
  let type = '';
  let [name, base] = ['', ''];
  let list: string | undefined;
  let level: number | undefined;
  let isHidden: boolean | undefined;
  await readMarkup(source, true, {
    open(element, attributes) {
      const value = (key: string) => attribute(attributes, key) ?? '';
      if (element === 'style') {
        [id, type] = [value('styleId'), value('type')];
        [name, base, list, level, isHidden] = ['', '', undefined, undefined, undefined];
      } else if (element === 'name') name = value('val');
      else if (element === 'basedOn') base = value('val');
      else if (element === 'numId') list = value('val');
      else if (element === 'ilvl') level = Number(value('val'));
      else if (element === 'vanish') isHidden = value('val') === '' || isOn(value('val'));
    },
    close(element) {
      // If several styles share an id, the first one is used.
      if (element !== 'style' || (type !== 'paragraph' && type !== 'character') || stored[type].has(id)) return;
      stored[type].set(id, { name, base, list, level, isHidden });
    },
  });
  const withInherited = (styles: ReadonlyMap<string, StoredStyle>) =>
    new Map([...styles].map(([key, style]) => [key, inherited(styles, key, style)]));
  return { paragraph: withInherited(stored.paragraph), character: withInherited(stored.character) };
}

function inherited(stored: ReadonlyMap<string, StoredStyle>, id: string, style: StoredStyle): Style {
  let [list, level, isHidden] = [style.list, style.level, style.isHidden];
  let listStyle = id;
  let base = style.base;
  for (let generation = 0; generation < maxGenerations; generation += 1) {
    const ancestor = stored.get(base);
    if (!ancestor) break;
    if (list === undefined && ancestor.list !== undefined) {
      list = ancestor.list;
      listStyle = base;
      level ??= ancestor.level;
    }
    isHidden ??= ancestor.isHidden;
    base = ancestor.base;
  }
  return { heading: headingLevel(id, style.name), list, level, listStyle, isHidden: isHidden ?? false };
}
