import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsInOrder } from '../../../service/src/data/records/fuzzy-match.js';
import { foldText } from '../../../service/src/data/records/words/fold.js';
import { approximatesIn, hasAnyOf, satisfies, wantedIn } from '../../../service/src/data/records/words/question.js';
import { passageTokens, TokenFinder, tokensOf } from '../../../service/src/data/records/words/ranking.js';
import { termsIn, visitWords } from '../../../service/src/data/records/words/terms.js';
import { caseCount } from '../../cases.js';
import { hardPhrases } from './hard-text.js';
import { folded, hasKeyword, isFuzzy } from './oracle/texts.js';
import { formsOf } from './oracle/words.js';

test('words are found as an independent description says', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(hardPhrases(6), hardPhrases(3), (text, question) => {
      const expected = hasKeyword(text, question);
      const wanted = wantedIn(question);
      expect(hasAnyOf(wanted)(text)).toBe(expected);
      expect(wanted.some((one) => satisfies(termsIn(text), one))).toBe(expected);
      const words = approximatesIn(question);
      expect(words.length > 0 && wordsInOrder(words)(text)).toBe(isFuzzy(text, question));
    }),
    { numRuns: caseCount(20_000) },
  );
});

test('each character of Unicode belongs to the words that an independent description says', () => {
  // Signs are letters of their own in both, but not the same.
  const isWord = (form: string): boolean => !/[\uff00-\uff0f\uff1a-\uff20\u{f0000}-\u{ffffd}]/u.test(form);
  for (let point = 0; point < 0x30000; point++) {
    const text = `請${String.fromCodePoint(point)}b`;
    const forms = new Set<string>();
    visitWords(text, (word) => {
      if (isWord(word)) forms.add(word);
      return false;
    });
    const expected = new Set(formsOf(text).filter(isWord));
    if (forms.size !== expected.size || [...expected].some((form) => !forms.has(form))) {
      expect.fail(`${point.toString(16)}: ${[...forms]}, not ${[...expected]}`);
    }
  }
});

test('texts are folded as an independent description says', () => {
  fc.assert(
    fc.property(hardPhrases(6), (text) => {
      expect(foldText(text)).toBe(folded(text));
    }),
    { numRuns: caseCount(20_000) },
  );
  for (let point = 0; point < 0x30000; point++) {
    const text = `a${String.fromCodePoint(point)}b`;
    if (foldText(text) !== folded(text)) expect.fail(`${point.toString(16)}: ${foldText(text)} ${folded(text)}`);
  }
});

/** Words whose stems end in other letters, and short ones whose second letter changes. */
const inflected = fc
  .tuple(
    fc.constantFrom('', 'e', 'ey', 'ay', 's', 'sh', 'rat', 'hop', 'oper', 'agre', 'digit', 'vietnam'),
    fc.constantFrom(
      ...'ing ed eed s sses ies y ying ational izer bli ization ator fulness iviti icate ly e'.split(' '),
    ),
  )
  .map((parts) => parts.join(''));
const mixed = fc.array(fc.oneof(inflected, hardPhrases(3)), { maxLength: 6 }).map((parts) => parts.join(' '));

test('a few tokens are counted as the index has them', () => {
  const columns = [{}, { about: { titled: false } }, { about: { titled: true } }];
  fc.assert(
    fc.property(
      mixed,
      mixed,
      fc.constantFrom(...columns),
      fc.string({ maxLength: 8 }),
      (text, prompt, column, rest) => {
        const wanted = new Set(tokensOf(prompt));
        const all = passageTokens(column, `${text}\n${rest}`, text);
        const found = all.filter((token) => wanted.has(token));
        const counts = [...new Set(found)].map((token) => [token, found.filter((one) => one === token).length]);
        const terms = new TokenFinder(wanted).termsOf(column, `${text}\n${rest}`, text);
        expect(terms).toEqual({ counts, length: all.length });
      },
    ),
    { numRuns: caseCount(20_000) },
  );
});
