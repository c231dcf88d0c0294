import { attribute } from './parts.js';

interface Element {
  readonly name: string;
  /** Where its text starts. */
  readonly start: number;
  readonly operands: Operand[];
  /** Values of its properties, by name. */
  readonly properties: Map<string, string>;
}

interface Operand {
  readonly name: string;
  readonly text: string;
}

type Format = (operand: (name: string) => string, element: Element) => string;

/** Elements that are a part of the one around them. */
const operandNames = new Set(['deg', 'den', 'e', 'fName', 'lim', 'mr', 'num', 'sub', 'sup']);

const all = ({ operands }: Element, separator: string): string => operands.map(({ text }) => text).join(separator);
const property = ({ properties }: Element, name: string, usual: string): string => properties.get(name) ?? usual;

/** In brackets, unless it is a number or a single character. */
const grouped = (text: string): string => (/^(?:[\p{N}.,]+|\P{M}\p{M}*|)$/u.test(text) ? text : `(${text})`);
const script = (mark: string, text: string): string => (text === '' ? '' : mark + grouped(text));
const marked = (usual: string): Format => {
  return (operand, element) => grouped(operand('e')) + property(element, 'chr', usual);
};

/** How each element is written in a line. */
const formats: Readonly<Record<string, Format>> = {
  acc: marked('\u0302'),
  bar: (operand, element) => grouped(operand('e')) + (property(element, 'pos', 'bot') === 'top' ? '\u0305' : '\u0332'),
  d: (_, element) => {
    const separator = property(element, 'sepChr', '|');
    return property(element, 'begChr', '(') + all(element, separator) + property(element, 'endChr', ')');
  },
  eqArr: (_, element) => all(element, '; '),
  f: (operand, element) =>
    grouped(operand('num')) + (property(element, 'type', 'bar') === 'noBar' ? '¦' : '/') + grouped(operand('den')),
  func: (operand) => `${operand('fName')} ${operand('e')}`,
  groupChr: marked('\u23df'),
  limLow: (operand) => operand('e') + script('_', operand('lim')),
  limUpp: (operand) => operand('e') + script('^', operand('lim')),
  m: (_, element) => all(element, '; '),
  mr: (_, element) => all(element, ', '),
  nary: (operand, element) =>
    `${property(element, 'chr', '∫')}${script('_', operand('sub'))}${script('^', operand('sup'))} ${operand('e')}`,
  rad: (operand) => `√${operand('deg') === '' ? '' : `[${operand('deg')}]`}(${operand('e')})`,
  sPre: (operand) => script('_', operand('sub')) + script('^', operand('sup')) + operand('e'),
  sSub: (operand) => grouped(operand('e')) + script('_', operand('sub')),
  sSubSup: (operand) => grouped(operand('e')) + script('_', operand('sub')) + script('^', operand('sup')),
  sSup: (operand) => grouped(operand('e')) + script('^', operand('sup')),
};

/**
 * Writes the equations of Office documents in a line, such as `∑_(i=1)^n` (format: ECMA-376, part 1, section 22.1).
 * It receives the events of all elements in an equation, and changes the line with their text.
 */
export class Equations {
  readonly #open: Element[] = [];

  /** Whether an element is an equation or within one. */
  includes(name: string): boolean {
    return name === 'oMath' || this.#open.length > 0;
  }

  open(name: string, attributes: Readonly<Record<string, string>>, line: string): void {
    // A property is in an element with properties.
    const owner = this.#open.at(-1)?.name.endsWith('Pr') ? this.#open.at(-2) : undefined;
    // A character without a value is none.
    owner?.properties.set(name, attribute(attributes, 'val') ?? '');
    this.#open.push({ name, start: line.length, operands: [], properties: new Map() });
  }

  /** The line after the end of an element. */
  close(line: string): string {
    const element = this.#open.pop();
    if (!element) return line;
    const isOperand = operandNames.has(element.name);
    if (element.operands.length === 0 && !isOperand && !formats[element.name]) return line;
    const before = line.slice(0, element.start);
    const format = formats[element.name] ?? ((_, other) => all(other, ' '));
    const operand = (name: string) => element.operands.find((one) => one.name === name)?.text ?? '';
    // Text outside of the parts is damaged, but not lost.
    const rest = line.slice(element.start);
    const written = rest + format(operand, element);
    const owner = this.#open.at(-1);
    if (!owner || !isOperand) return before + written;
    owner.operands.push({ name: element.name, text: written.trim() });
    return before;
  }
}
