import { compatible } from './folding.js';
import { bare, capitalParts, shapeOf, withUmlauts } from './letters.js';

const pairs = (word: string): string[] => {
  const characters = [...word];
  return characters.length === 1 ? characters : characters.slice(1).map((one, index) => `${characters[index]}${one}`);
};

interface Piece {
  readonly kind: 'w' | 'd' | 'k';
  /** The text, or the parts and the signs between them in turns. */
  readonly text: string;
  readonly turns: readonly string[];
  readonly dot: boolean;
  readonly signs: string;
  readonly before: string;
  readonly after: string;
  readonly follows: boolean;
}

function piecesOf(text: string): Piece[] {
  const characters = [...compatible(text)];
  const at = (index: number): string => characters[index] ?? '';
  const isDigit = (index: number) => /^[0-9]$/.test(at(index));
  const shape = characters
    .map((character, index) => {
      const isThousand = character === ',' && [index - 1, index + 1, index + 2, index + 3].every(isDigit);
      return isThousand && !isDigit(index + 4) ? ',' : shapeOf(character);
    })
    .join('');
  const found: Piece[] = [];
  let lastEnd = -1;
  for (const { 0: own, index } of shape.matchAll(
    /w[wa]*(?:(?::\/\/|[-_./:@&+#%=~?'\\·,])w[wa]*){0,24}|d[da]*|k[ka]*/g,
  )) {
    let end = index + own.length;
    const kind = own[0] as Piece['kind'];
    const latin = (place: number) => (/^[a-z0-9]$/.test(at(place)) ? at(place) : '');
    const turns = own.split(/(:\/\/|[-_./:@&+#%=~?'\\·,])/);
    const places = turns.map((_, turn) => index + turns.slice(0, turn).join('').length);
    const read = turns.map((turn, number) => characters.slice(places[number], places[number]! + turn.length).join(''));
    let signs = '';
    if (kind === 'w' && /^[a-z]$/.test(at(end - 1))) {
      const run = /^(?:\++|#+)/.exec(characters.slice(end, end + 4).join(''))?.[0] ?? '';
      if (/^(?:\+|\+\+|#)$/.test(run)) signs = run;
    }
    found.push({
      kind,
      text: characters.slice(index, end).join(''),
      turns: read,
      dot: kind === 'w' && at(index - 1) === '.' && (index < 2 || /[\s([{"'`<>,;=|*]/.test(at(index - 2))),
      signs,
      before: lastEnd === index ? latin(index - 1) : '',
      after: latin(end),
      follows: lastEnd === index,
    });
    end += signs.length;
    lastEnd = end;
  }
  return found;
}

const partsOf = ({ turns }: Piece): string[] => turns.filter((_, index) => index % 2 === 0);
const joinersOf = ({ turns }: Piece): string[] => turns.filter((_, index) => index % 2 === 1);

/** What stands for joined parts, however they are joined. */
function joined(turns: readonly string[]): string {
  let whole = '';
  for (const [index, turn] of turns.entries()) {
    if (index % 2 === 0) {
      whole += bare(turn);
      continue;
    }
    const next = bare(turns[index + 1]!);
    const [digitBefore, digitAfter] = [/[0-9]$/.test(whole), /^[0-9]/.test(next)];
    const isOmitted =
      turn === ',' ||
      turn === '·' ||
      (turn === "'" && digitBefore && /^[0-9]{3}$/.test(next)) ||
      (turn === '.' ? !digitBefore && !digitAfter : /^[-_'~]$/.test(turn) && !(digitBefore && digitAfter));
    if (!isOmitted) whole += signLetter(turn === '://' || turn === '\\' ? '/' : turn);
  }
  return whole;
}

/** A sign that is part of a name counts as one letter. */
const signLetter = (sign: string): string => String.fromCodePoint(0xf0000 + sign.codePointAt(0)!);

const separator = /^(?:[/:@?=#%\\]|:\/\/)$/;

/** The parts of an address between separators, each as turns. */
function segmentsOf(turns: readonly string[]): string[][] {
  const segments: string[][] = [[]];
  for (const turn of turns) {
    if (separator.test(turn)) segments.push([]);
    else segments.at(-1)!.push(turn);
  }
  return segments;
}

/** A whole without the scheme and `www` of a URL. */
function wholeOf({ turns }: Pick<Piece, 'turns'>): string {
  let own = turns[1] === '://' ? turns.slice(2) : turns;
  if (own[0] === 'www' && own[1] === '.' && own.length > 4) own = own.slice(2);
  return joined(own);
}

/** A whole, and that of a version without its `v`. */
const wholesOf = (turns: readonly string[]): string[] => [
  wholeOf({ turns }),
  ...(/^v\d+$/.test(turns[0]!) && turns[1] === '.' ? [joined([turns[0]!.slice(1), ...turns.slice(1)])] : []),
];

/** Signs that divide a joined word, those that divide it first before the others; `#` marks signs kept in numbers. */
const dividers = [/^(?:[/:?=#%\\]|:\/\/)$/, /^@$/, /^\.$/, /^[_~]$/, /^[-+]$/];

/** The joined words inside one, in turns. */
function insideOf(turns: readonly string[], level = 0): string[][] {
  if (turns.length === 1 || level === dividers.length) return [];
  const segments: string[][] = [[]];
  for (const [index, turn] of turns.entries()) {
    const inNumber = /[0-9]$/.test(turns[index - 1] ?? '') && /^[0-9]/.test(turns[index + 1] ?? '');
    const isDivider = index % 2 === 1 && dividers[level]!.test(turn) && !(inNumber && /^[-.]$/.test(turn));
    if (isDivider) segments.push([]);
    else segments.at(-1)!.push(turn);
  }
  return segments.flatMap((one) => [
    ...(segments.length > 1 && one.length > 1 ? [one] : []),
    ...insideOf(one, level + 1),
  ]);
}

/** Other names inside a joined word of more than two parts, and the extension of a file's name. */
function namesIn(turns: readonly string[]): string[] {
  const names: string[] = [];
  for (let at = 1; at < turns.length && turns.length > 3; at += 2) {
    const [before, sign, after] = [turns[at - 1]!, turns[at]!, turns[at + 1]!];
    if (/^[-_]$/.test(sign) && /^[a-z]+$/.test(before) && /^[0-9]+$/.test(after)) names.push(before + after);
    if (sign === '/' && before.length === 1 && after.length === 1) names.push(joined([before, sign, after]));
    if (sign === '-' && at > 2 && /^\d\dt\d\d$/.test(after))
      names.push(joined([...turns.slice(at - 3, at + 1), after.slice(0, 2)]));
  }
  return names;
}

const extensionOf = (turns: readonly string[]): string[] =>
  turns.length > 1 && turns.at(-2) === '.' && /^[0-9a-z]{1,5}$/.test(turns.at(-1)!) && /[a-z]/.test(turns.at(-1)!)
    ? [signLetter('.') + turns.at(-1)]
    : [];

const decorated = (piece: Piece): string[] => [
  ...(piece.signs === '' ? [] : [`${bare(partsOf(piece).at(-1)!)}${[...piece.signs].map(signLetter).join('')}`]),
  ...(piece.dot ? [`${signLetter('.')}${bare(partsOf(piece)[0]!)}`] : []),
];

const isContraction = (piece: Piece): boolean => /^\S*n't$/.test(piece.turns.join('')) && piece.turns.length === 3;

/** Phone numbers, by their last eight digits. */
function phonesIn(text: string): Array<{ readonly text: string; readonly key: string }> {
  const start = String.raw`(?:\+\d{1,3}[ .-]\d(?=[ .-]\d\d)|\+\d|(?<!\d )0\d|\([\d+]|\d{3}[ .-]\d{3}(?=[ .-]?\d{4}))\d*`;
  const pattern = new RegExp(
    String.raw`(?<=^|[\s(["'<,;:>|])${start}(?:[ ()./-]{1,3}\d\d+)*(?=$|[\s)\]"'>,;.!?|])`,
    'g',
  );
  if (!/\d[\d ()./-]{5,}\d/.test(text)) return [];
  return [...text.matchAll(pattern)].flatMap(({ 0: found }) => {
    const digits = found.replace(/\D/g, '');
    const isNumber = digits.length < 7 || digits.length > 15 || /^\d*\.\d*$/.test(found.trim());
    return isNumber ? [] : [{ text: found, key: `${signLetter('#')}${digits.slice(-8)}` }];
  });
}

/** The forms under which the words of a text can be found, in order. */
export function formsOf(text: string): string[] {
  const forms: string[] = [];
  for (const piece of piecesOf(text)) {
    if (piece.kind !== 'w') {
      const letters = bare(piece.text);
      forms.push(...pairs(letters));
      if (piece.kind === 'd' && piece.before !== '') forms.push(piece.before + [...letters][0]);
      if (piece.kind === 'd' && piece.after !== '') forms.push([...letters].at(-1) + piece.after);
      continue;
    }
    const parts = partsOf(piece);
    if (!isContraction(piece)) for (const part of parts) forms.push(bare(part), ...withUmlauts(part));
    if (parts.length > 1) {
      for (const turns of [...insideOf(piece.turns)]) forms.push(...wholesOf(turns));
      forms.push(...namesIn(piece.turns), ...wholesOf(piece.turns), ...extensionOf(piece.turns));
    }
    forms.push(...decorated(piece));
  }
  for (const part of capitalParts(text)) forms.push(bare(part), ...withUmlauts(part));
  return [...forms, ...phonesIn(compatible(text)).map(({ key }) => key)];
}

type Test = (forms: ReadonlySet<string>) => boolean;
const has =
  (form: string): Test =>
  (forms) =>
    forms.has(form);
const hasAny =
  (tests: readonly Test[]): Test =>
  (forms) =>
    tests.some((test) => test(forms));
const hasAll =
  (tests: readonly Test[]): Test =>
  (forms) =>
    tests.every((test) => test(forms));
const hasMost = (list: readonly string[]): Test => {
  const distinct = [...new Set(list)];
  return (forms) => distinct.filter((one) => forms.has(one)).length / distinct.length >= 0.7;
};

const isSpelledOut = (word: string): boolean =>
  [...word].every((letter) => /\p{L}/u.test(letter) && shapeOf(letter) === 'w');

/** A compound that a Latin word of five letters or more begins, or that has it behind three letters; or a number. */
const isCompound =
  (word: string): Test =>
  (forms) =>
    [...forms].some(
      (form) =>
        form.length <= 60 &&
        ((form.length >= word.length + 3 &&
          isSpelledOut(form) &&
          (form.startsWith(word) || form.slice(3).includes(word))) ||
          (form.startsWith(word) && /^[0-9]+$/.test(form.slice(word.length)))),
    );

/** A hash of 40 hexadecimal digits or more that begins with a short one; of very long words, 60 letters count. */
const isHashOf =
  (start: string): Test =>
  (forms) =>
    [...forms].some(
      (form) =>
        form.startsWith(start) &&
        form.length >= 40 &&
        /^[0-9a-f]+$/.test(form.slice(0, form.length > 60 ? 60 : undefined)),
    );

/** English words that are not looked for in compounds; only those of five letters or more matter. */
const frequent = new Set(
  (
    'about above after again against because before being below between could couldn doesn doing during further having ' +
    'herself himself itself mustn myself other ours ourselves shouldn should their theirs themselves these those through ' +
    'under until weren where which while would wouldn yours yourself yourselves cannot there didn hadn hasn haven'
  ).split(' '),
);

function wordTests(part: string): Test[] {
  const word = bare(part);
  const tests = [word, ...withUmlauts(part)].map(has);
  for (const own of [word, ...withUmlauts(part)]) {
    if (own.length >= 5 && /^[a-zà-ɏ]+$/.test(own) && !frequent.has(own)) tests.push(isCompound(own));
  }
  if (/^[0-9a-f]{7,39}$/.test(word)) tests.push(isHashOf(word));
  const isArabic = /^[ء-ي]+$/.test(word);
  const prefixes = isArabic ? 'ال و ب ل وال بال لل' : /^[א-ת]+$/.test(word) ? 'ה ו ב ל מ ש כ וה' : '';
  if (word.length >= 3 && prefixes !== '') for (const prefix of prefixes.split(' ')) tests.push(has(prefix + word));
  if (isArabic && word.length >= 5 && word.startsWith('ال')) tests.push(has(word.slice(2)));
  return tests;
}

const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** Tests for other ways to write an identifier. */
function spellingTests({ turns }: Piece): Test[] {
  const text = turns.join('');
  if (turns.length === 1 && uuid.test(text)) {
    const [, first, ...rest] = uuid.exec(text)!;
    return [has(joined([first!, ...rest.flatMap((group) => ['-', group])]))];
  }
  if (/^\d{7,15}$/.test(text)) return [has(`${signLetter('#')}${text.slice(-8)}`)];
  if (turns.length === 1) return [];
  if (uuid.test(text)) return [has(text.split('-').join(''))];
  return wholesOf(turns).slice(1).map(has);
}

function chunkTest(piece: Piece): Test {
  const parts = partsOf(piece);
  const joiners = joinersOf(piece);
  const names = decorated(piece);
  const spellings = spellingTests(piece);
  if (parts.length === 1) return hasAny(names.length > 0 ? names.map(has) : [...wordTests(parts[0]!), ...spellings]);
  const whole = has(wholeOf(piece));
  if (joiners.every((sign) => sign === "'")) {
    const tests = /^[א-ת]+$/.test(wholeOf(piece)) ? wordTests(wholeOf(piece)) : [whole];
    const elided = parts.length === 2 && /^(?:[ldjmtsnc]|qu|all|dell|nell|sull|un)$/.test(bare(parts[0]!));
    if (elided) tests.push(...wordTests(parts[1]!));
    else if (parts.length === 2 && parts[1] === 's') tests.push(...wordTests(parts[0]!));
    return hasAny(tests);
  }
  const tests = [whole, ...spellings];
  const segments = segmentsOf(piece.turns);
  if (segments.length > 1) {
    const own = joiners[0] === '://' ? segments.slice(1) : segments;
    if (own.some((turns) => turns.length > 1 || turns[0]!.length > 2) && !joiners.includes('@'))
      tests.push(hasAll(own.map((turns) => has(turns.length > 1 ? wholeOf({ ...piece, turns }) : bare(turns[0]!)))));
  } else if (names.length === 0 && parts.every((part) => part.length > 1 && !/[0-9]/.test(part)))
    tests.push(hasAll(parts.map((part) => hasAny(wordTests(part)))));
  if (piece.signs !== '') tests.push(hasAll([...parts.slice(0, -1).map((part) => has(bare(part))), has(names[0]!)]));
  return hasAny(tests);
}

const particles =
  '에서는 으로서 으로써 이라는 에서 에게 에는 에도 으로 까지 부터 보다 처럼 하고 이나 라는 들이 들을 들은 들의 이다 입니다 을 를 이 가 은 는 에 의 와 과 도 로 만 들'.split(
    ' ',
  );

function koreanTest(text: string): Test {
  const { length } = [...text];
  if (length === 1) return hasAny(['', ...particles.filter((one) => one.length === 1)].map((one) => has(text + one)));
  const endings = particles.filter((one) => text.endsWith(one) && length >= one.length + 2);
  const longest = endings.sort((one, other) => other.length - one.length)[0];
  const tests = [hasMost(pairs(text))];
  if (longest !== undefined) tests.push(hasMost(pairs(text.slice(0, text.length - longest.length))));
  return hasAny(tests);
}

function denseTest({ text, before, after }: Piece): Test {
  const letters = [...bare(text)];
  const borders = [...(before ? [before + letters[0]] : []), ...(after ? [letters.at(-1) + after] : [])];
  if (letters.length > 1) return hasMost([...borders, ...pairs(letters.join(''))]);
  if (borders.length > 0) return hasAll(borders.map(has));
  return (forms) => [...forms].some((form) => [...form].length <= 2 && form.includes(letters[0]!));
}

/** A word of a question: whether a text with certain forms has it, and its length without signs. */
interface QuestionWord {
  readonly test: Test;
  readonly length: number;
}

/** A word of Latin letters and digits, if a group is no more than that. */
function simpleWord(group: readonly Piece[]): string {
  const [piece] = group;
  if (group.length > 1 || piece!.kind !== 'w' || piece!.turns.length > 1 || decorated(piece!).length > 0) return '';
  return /^[0-9a-z]+$/.test(bare(piece!.text)) ? bare(piece!.text) : '';
}

/** What texts may have in place of a word: together with a neighbor, or with all of several groups with digits. */
function togetherForms(words: readonly string[], index: number): string[] {
  const own = words[index]!;
  if (own === '') return [];
  const isLoose = (word: string) => /^(?:.|[0-9]+)$/.test(word);
  const pairsWith = [words[index - 1] ?? '', words[index + 1] ?? ''].map(
    (word) => word !== '' && (isLoose(own) || isLoose(word)),
  );
  const forms = [...(pairsWith[0] ? [words[index - 1] + own] : []), ...(pairsWith[1] ? [own + words[index + 1]] : [])];
  const withDigit = (at: number) => /[0-9]/.test(words[at] ?? '');
  let [from, to] = [index, index + 1];
  while (withDigit(from - 1)) from -= 1;
  while (withDigit(to)) to += 1;
  if (withDigit(index) && to - from >= 3) forms.push(words.slice(from, to).join(''));
  return forms;
}

/** The distinct words of a question. */
export function questionWords(question: string): QuestionWord[] {
  const found = new Map<string, QuestionWord>();
  let rest = compatible(question);
  for (const phone of phonesIn(rest)) {
    const digits = phone.text.match(/\d+/g) ?? [];
    const number = digits.join('');
    const test: Test = (forms) => forms.has(phone.key) || forms.has(number) || digits.every((one) => forms.has(one));
    found.set(phone.text, { test, length: number.length });
    rest = rest.replace(phone.text, ' ');
  }
  const groups: Piece[][] = [];
  for (const piece of piecesOf(rest)) {
    const last = groups.at(-1)?.at(-1);
    if (last && piece.follows && (piece.kind !== 'w' || last.kind !== 'w')) groups.at(-1)!.push(piece);
    else groups.push([piece]);
  }
  const words = groups.map(simpleWord);
  for (const [index, group] of groups.entries()) {
    const counted = group.filter(
      ({ kind, text: own }) => kind !== 'k' || group.length === 1 || [...bare(own)].length > 1,
    );
    if (counted.length === 0) continue;
    const tests = counted.map((piece) =>
      piece.kind === 'w' ? chunkTest(piece) : piece.kind === 'k' ? koreanTest(bare(piece.text)) : denseTest(piece),
    );
    const letters = group.map((piece) => (piece.kind === 'w' ? partsOf(piece).join('') : piece.text)).join('');
    const key = JSON.stringify(group.map((piece) => ({ ...piece, follows: false })));
    const known = found.get(key)?.test ?? hasAll(tests);
    const test = hasAny([known, ...togetherForms(words, index).map(has)]);
    found.set(key, { test, length: [...letters].length });
  }
  return [...found.values()];
}

/** Whether any word of the question is in the text. */
export function hasKeyword(text: string, question: string): boolean {
  const forms = new Set(formsOf(text));
  return questionWords(question).some(({ test }) => test(forms));
}

/** The words of a text in order, without signs and accents. */
function spokenWords(text: string): string {
  let spoken = '';
  let last: Piece | undefined;
  for (const piece of piecesOf(text)) {
    const isApart = last !== undefined && !(piece.follows && (piece.kind !== 'w' || last.kind !== 'w'));
    spoken += (isApart ? ' ' : '') + (piece.kind === 'w' ? partsOf(piece).map(bare).join(' ') : bare(piece.text));
    last = piece;
  }
  return spoken;
}

/** Whether the words of a text are those of the question, or contain them next to each other. */
export function hasPhrase(text: string, question: string, isWhole: boolean): boolean {
  const wanted = spokenWords(question);
  if (wanted === '') return false;
  const spoken = spokenWords(text);
  if (isWhole) return spoken === wanted;
  const isTogether = (character: string) => /[dk]/.test(shapeOf(character));
  const before = isTogether([...wanted][0]!) ? '' : '(?<![^ ])';
  const after = isTogether([...wanted].at(-1)!) ? '' : '(?![^ ])';
  return new RegExp(before + wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + after, 'u').test(spoken);
}

/** The words of a question for approximate matching: spelled out, or as pairs. */
export function approximateWords(question: string): Array<string | readonly string[]> {
  return piecesOf(question).flatMap((piece): Array<string | readonly string[]> => {
    if (piece.kind !== 'w') return [[...new Set(pairs(bare(piece.text)))]];
    return isContraction(piece) ? [wholeOf(piece)] : partsOf(piece).map(bare);
  });
}
