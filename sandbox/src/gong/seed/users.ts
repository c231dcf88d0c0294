import { people } from '../../company.js';
import type { UserRow } from '../rows.js';
import { idFrom, randomFor } from './ids.js';

const day = 86_400_000;

/** People who talk to customers, and their managers. */
const accounts: readonly (readonly [string, string | null])[] = [
  ['maren.holt', null],
  ['dana.whitfield', 'maren.holt'],
  ['rahul.mehta', 'dana.whitfield'],
  ['chloe.nguyen', 'dana.whitfield'],
  ['yusuf.demir', 'dana.whitfield'],
  ['hannah.kessler', 'dana.whitfield'],
  ['tomas.aguirre', 'maren.holt'],
  ['ines.carvalho', 'tomas.aguirre'],
  ['grace.mbeki', 'tomas.aguirre'],
  ['elliot.park', 'ines.carvalho'],
  ['samuel.okafor', 'tomas.aguirre'],
  ['jonas.weidemann', 'tomas.aguirre'],
  ['leila.haddad', 'tomas.aguirre'],
];

const languages: Readonly<Record<string, string>> = {
  'maren.holt': 'da-DK',
  'tomas.aguirre': 'es-ES',
  'ines.carvalho': 'pt-PT',
  'jonas.weidemann': 'de-DE',
  'leila.haddad': 'fr-FR',
};

/** Gong accounts of some of the company's employees. */
export function seedUsers(seed: number, start: number): UserRow[] {
  return accounts.map(([key, managerKey], index) => {
    const { name, email, title, left } = people.find((person) => person.key === key)!;
    const random = randomFor(seed, 'user', index);
    return {
      id: idFrom(random),
      key,
      name,
      email,
      title,
      managerKey,
      active: !left,
      created: start - 500 * day + index * 9 * day + random.between(0, day),
      phone: index % 4 === 1 ? `+1 415 555 01${String(index).padStart(2, '0')}` : null,
      language: languages[key] ?? 'en-US',
    };
  });
}
