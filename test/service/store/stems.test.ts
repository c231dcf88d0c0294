import { expect, test } from 'vitest';
import { tokensOf } from '../../../service/src/data/records/words/ranking.js';

/** Words and their tokens in existing indexes; with different tokens, stored words would not be found. */
const stored =
  'caresses caress ponies poni cats cat feed feed agreed agre plastered plaster motoring motor sing sing conflated conflat ' +
  'troubled troubl sized size hopping hop tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi ' +
  'sky sky relational relat conditional condit rational ration digitizer digit conformably conform radically radic ' +
  'vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis hopefulness hope ' +
  'callousness callous sensibility sensibl triplicate triplic formative form formalize formal electrical electr ' +
  'goodness good revival reviv allowance allow inference infer airliner airlin adjustable adjust defensible defens ' +
  'irritant irrit replacement replac adjustment adjust dependent depend adoption adopt homologous homolog ' +
  'communism commun activate activ effective effect bowdlerize bowdler probate probat rate rate cease ceas ' +
  'controlling control rolling roll yearly yearli is is eed eed eeds eed ies i sses ss résumés resum 2026 2026';

test('words are reduced to the stems used in existing indexes', () => {
  const words = stored.split(' ');
  for (let index = 0; index < words.length; index += 2) {
    expect([words[index], ...tokensOf(words[index]!)]).toEqual([words[index], words[index + 1]]);
  }
});
