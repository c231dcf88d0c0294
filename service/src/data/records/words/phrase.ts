import { Class, classOf } from './classes.js';
import { bareOf, isAscii } from './fold.js';
import { hasAnyOf, type Wanted } from './question.js';
import { scan } from './scan.js';
import { bareRun } from './terms.js';

/** How a text has the words of a question: as the whole text, or next to each other. */
export type Form = 'whole' | 'phrase';

/** The words of a text, in order and without optional marks, separated by spaces. */
function plainWords(text: string): string {
  let words = '';
  let wasChunk = false;
  scan(text, (found) => {
    const isChunk = found.kind === 'chunk';
    const isSeparate = words !== '' && !(found.isAttached && !(isChunk && wasChunk));
    words += `${isSeparate ? ' ' : ''}${isChunk ? found.parts.map(bareOf).join(' ') : bareRun(found)}`;
    wasChunk = isChunk;
    return false;
  });
  return words;
}

/** Whether words of other scripts may follow a character without a space. */
const isJoined = (character: string): boolean => {
  const value = classOf(character.codePointAt(0)!);
  return value === Class.unspaced || value === Class.hangul;
};

function containsPhrase(words: string, phrase: string): boolean {
  const isOpen = { start: isJoined(phrase), end: isJoined([...phrase].at(-1)!) };
  for (let at = words.indexOf(phrase); at >= 0; at = words.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    const isStart = isOpen.start || at === 0 || words[at - 1] === ' ';
    if (isStart && (isOpen.end || end === words.length || words[end] === ' ')) return true;
  }
  return false;
}

/** The words of an ASCII text are its runs of letters and digits, so that an expression finds a phrase much faster. */
function plainPattern(form: Form, phrase: string): RegExp {
  const words = phrase.split(' ').join('[^a-z0-9]+');
  const [before, after] = form === 'whole' ? ['^[^a-z0-9]*', '[^a-z0-9]*$'] : ['(?<![a-z0-9])', '(?![a-z0-9])'];
  return new RegExp(`${before}${words}${after}`, 'i');
}

/** A predicate for texts that have the words of a question in a form. */
export function hasForm(form: Form, question: string, wanted: readonly Wanted[]): (text: string) => boolean {
  const phrase = plainWords(question);
  const hasWords = hasAnyOf(wanted);
  if (phrase === '') return () => false;
  const plain = isAscii(phrase) ? plainPattern(form, phrase) : undefined;
  return (text) => {
    if (isAscii(text)) return (plain?.test(text) ?? false) && hasWords(text);
    const words = plainWords(text);
    return (form === 'whole' ? words === phrase : containsPhrase(words, phrase)) && hasWords(text);
  };
}
