import { readMarkup } from './markup.js';
import { attribute, isOn } from './parts.js';

interface Level {
  start: number;
  format: string;
  /** The label, with `%1` to `%9` for the numbers of the levels. */
  text: string;
  /** Whether all numbers are decimal. */
  isLegal: boolean;
  /** Restarts after a level above this one; 0 means never. */
  restart: number | undefined;
  style: string;
}

/** Levels and counters that lists can share. */
interface Definition {
  readonly levels: Array<Level | undefined>;
  readonly counters: Array<number | undefined>;
  style: string;
  linkedStyle: string;
}

interface List {
  definition: string;
  readonly starts: Map<number, number>;
  readonly levels: Array<Level | undefined>;
  isStarted: boolean;
}

const maxLevels = 9;
/** A longer text is no label. */
const maxLabelLength = 100;

/** The lists of a Word document: counts their paragraphs. */
export class Numbering {
  readonly #definitions = new Map<string, Definition>();
  readonly #lists = new Map<string, List>();

  private constructor() {}

  /** Reads the part that defines the lists. */
  static async read(source: string): Promise<Numbering> {
    const numbering = new Numbering();
    await readMarkup(source, true, numbering.#listener());
    return numbering;
  }

  /** The level that belongs to a paragraph style. */
  levelOf(list: string, style: string): number {
    const level = this.#levelsOf(list).findIndex((known) => known !== undefined && known.style === style);
    return Math.max(0, level);
  }

  /** Counts a paragraph, and returns its label: `-` for a bullet or an unknown list, empty for none. */
  next(listId: string, level: number): string {
    const list = this.#lists.get(listId);
    const definition = list && this.#definitionOf(list);
    const levels = this.#levelsOf(listId);
    const own = levels[level];
    if (!list || !definition || !own) return '-';
    const { counters } = definition;
    if (!list.isStarted) {
      list.isStarted = true;
      for (const overridden of list.starts.keys()) counters[overridden] = undefined;
    }
    const startOf = (at: number) => list.starts.get(at) ?? levels[at]?.start ?? 1;
    const last = counters[level];
    counters[level] = last === undefined ? startOf(level) : last + 1;
    for (let deeper = level + 1; deeper < maxLevels; deeper += 1) {
      const restart = levels[deeper]?.restart;
      if (restart === undefined || level < restart) counters[deeper] = undefined;
    }
    if (own.format === 'bullet') return '-';
    const label = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      counters[at] ??= startOf(at);
      return numberText(counters[at], own.isLegal && at < level ? 'decimal' : (levels[at]?.format ?? 'decimal'));
    });
    return label.trim();
  }

  #definitionOf({ definition: id }: List): Definition | undefined {
    const definition = this.#definitions.get(id);
    if (!definition?.linkedStyle) return definition;
    return [...this.#definitions.values()].find(({ style }) => style === definition.linkedStyle) ?? definition;
  }

  #levelsOf(listId: string): ReadonlyArray<Level | undefined> {
    const list = this.#lists.get(listId);
    const defined = (list && this.#definitionOf(list)?.levels) ?? [];
    if (!list || list.levels.length === 0) return defined;
    return Array.from({ length: maxLevels }, (_, at) => list.levels[at] ?? defined[at]);
  }

  #listener(): Parameters<typeof readMarkup>[2] {
    let definition: Definition | undefined;
    let list: List | undefined;
    let overridden = 0;
    let level: Level | undefined;
    return {
      open: (name, attributes) => {
        const value = (key = 'val') => attribute(attributes, key) ?? '';
        if (name === 'abstractNum') {
          definition = { levels: [], counters: [], style: '', linkedStyle: '' };
          this.#definitions.set(value('abstractNumId'), definition);
        } else if (name === 'num') {
          list = { definition: '', starts: new Map(), levels: [], isStarted: false };
          this.#lists.set(value('numId'), list);
        } else if (name === 'styleLink' && definition) definition.style = value();
        else if (name === 'numStyleLink' && definition) definition.linkedStyle = value();
        else if (name === 'abstractNumId' && list) list.definition = value();
        else if (name === 'lvlOverride') overridden = Number(value('ilvl'));
        else if (name === 'startOverride' && overridden < maxLevels) list?.starts.set(overridden, Number(value()));
        else if (name === 'lvl') {
          level = { start: 0, format: 'decimal', text: '', isLegal: false, restart: undefined, style: '' };
          const at = Number(value('ilvl'));
          const levels = list?.levels ?? definition?.levels;
          if (levels && at < maxLevels) levels[at] = level;
        } else if (level) {
          if (name === 'start') level.start = Number(value());
          else if (name === 'numFmt') level.format = value();
          else if (name === 'lvlText') level.text = value().slice(0, maxLabelLength);
          else if (name === 'isLgl') level.isLegal = value() === '' || isOn(value());
          else if (name === 'lvlRestart') level.restart = Number(value());
          else if (name === 'pStyle') level.style = value();
        }
      },
      close: (name) => {
        if (name === 'abstractNum') definition = undefined;
        else if (name === 'num') list = undefined;
        else if (name === 'lvl') level = undefined;
      },
    };
  }
}

const romanDigits: ReadonlyArray<readonly [value: number, digit: string]> = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [size, digit] of romanDigits) {
    text += digit.repeat(Math.floor(rest / size));
    rest %= size;
  }
  return text;
}

/** Word repeats the letter: Z is followed by AA and BB. */
const letters = (value: number): string =>
  String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.floor((value - 1) / 26) + 1);

const ordinalRules = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinalEndings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinal = (value: number): string => value + (ordinalEndings[ordinalRules.select(value)] ?? 'th');

const ideographs = '〇一二三四五六七八九';

/** Up to 99; others are decimal. */
function ideographicCount(value: number): string {
  const tens = Math.floor(value / 10);
  return `${tens > 1 ? ideographs[tens] : ''}${tens > 0 ? '十' : ''}${value % 10 > 0 ? ideographs[value % 10] : ''}`;
}

/** Formats, and the largest number that they are used for. */
const numberFormats: Readonly<Record<string, readonly [largest: number, text: (value: number) => string]>> = {
  upperRoman: [3999, roman],
  lowerRoman: [3999, (value) => roman(value).toLowerCase()],
  upperLetter: [780, letters],
  lowerLetter: [780, (value) => letters(value).toLowerCase()],
  ordinal: [Number.MAX_SAFE_INTEGER, ordinal],
  decimalZero: [9, (value) => `0${value}`],
  decimalEnclosedCircle: [20, (value) => String.fromCharCode(0x245f + value)],
  decimalEnclosedCircleChinese: [20, (value) => String.fromCharCode(0x245f + value)],
  chineseCounting: [99, ideographicCount],
  chineseCountingThousand: [99, ideographicCount],
  ideographDigital: [99, (value) => String(value).replace(/\d/g, (digit) => ideographs[Number(digit)]!)],
  japaneseCounting: [99, ideographicCount],
  taiwaneseCounting: [99, ideographicCount],
  taiwaneseCountingThousand: [99, ideographicCount],
  none: [Number.MAX_SAFE_INTEGER, () => ''],
};

function numberText(value: number, format: string): string {
  const [largest, text] = numberFormats[format] ?? [0, String];
  return value >= 1 && value <= largest ? text(value) : format === 'none' ? '' : String(value);
}
