import { customers } from '../../company.js';
import type { Random } from '../../random.js';
import { circumstances, parts, troubles } from '../../topics.js';

const taskVerbs = [
  'Add tests for',
  'Write a runbook for',
  'Measure',
  'Split up',
  'Document',
  'Simplify',
  'Put a flag around',
].concat([
  'Translate',
  'Review the permissions of',
  'Add metrics to',
  'Remove the old code of',
  'Speed up',
  'Redesign',
]);

/** A plausible issue title for a team. */
export function titleFor(random: Random, teamKey: string): string {
  const part = random.pick(parts[teamKey]!);
  const kind = random.next();
  if (kind < 0.55) return `${part} ${random.pick(troubles)} ${random.pick(circumstances)}`;
  if (kind < 0.85) return `${random.pick(taskVerbs)} the ${lowerFirst(part)} ${random.pick(circumstances)}`;
  if (kind < 0.95) return `${random.pick(customers)}: ${lowerFirst(part)} ${random.pick(troubles)}`;
  return random.pick(special);
}

const special = [
  '税务报表中的汉字显示为方块',
  'Émojis 👩🏽‍💻🧾 dans le nom du client cassent l’export PDF',
  'RTL: חשבונית נחתכת בצד שמאל של העמוד',
  'Quotes "double" and \'single\', back\\slash & <b>tags</b> in account names',
  'Zero-width space (\u200b) in pasted IBAN is not trimmed',
  'Überweisung: „ß“ wird im SEPA-Export zu „?“',
];

function lowerFirst(part: string): string {
  return /^[A-Z]{2}/.test(part) ? part : part.charAt(0).toLowerCase() + part.slice(1);
}
