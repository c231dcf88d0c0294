import { customers } from '../../company.js';
import type { Random } from '../../random.js';

const parts: Record<string, string[]> = {
  ENG: [
    'Bank feed import',
    'Journal writer',
    'Webhook dispatcher',
    'Rate limiter',
    'CSV export',
    'Login with SSO',
  ].concat(
    ['Nightly reconciliation', 'Search index', 'PDF renderer', 'Invoice numbering', 'Currency conversion', 'Audit log'],
    [
      'Background jobs',
      'Attachment storage',
      'Permission check',
      'Year-end closing',
      'Balance endpoint',
      'Retry queue',
    ],
  ),
  MOB: [
    'Receipt camera',
    'Push notifications',
    'Login screen',
    'Expense list',
    'Offline queue',
    'Biometric unlock',
  ].concat(['Share sheet', 'Settings screen', 'Approval flow', 'Home widget', 'Deep links', 'Image upload']),
  DES: [
    'Invoice editor',
    'Empty states',
    'Date picker',
    'Colour tokens',
    'Onboarding checklist',
    'Table density',
  ].concat(['Icon set', 'Error messages', 'Keyboard focus', 'Print layout']),
  SUP: [
    'Import of opening balances',
    'Duplicate bank lines',
    'Password reset mail',
    'Refund booking',
    'Plan change',
  ].concat(['Missing invoice copy', 'VAT report', 'User invitation', 'Two-factor reset', 'Exported ledger']),
};

const troubles = ['fails', 'hangs', 'is slow', 'shows a blank page', 'loses the last entry', 'rounds wrongly'].concat(
  ['sends everything twice', 'ignores the time zone', 'returns 500', 'drops attachments', 'forgets the filter'],
  ['shows yesterday’s figures', 'breaks on emoji 🧾', 'mixes up accounts', 'times out after 30 s', 'needs a reload'],
);

const circumstances = [
  'with more than 10,000 rows',
  'after a plan change',
  'on the first of the month',
  'in Safari',
].concat(
  ['for accounts in CHF', 'when two people edit at once', 'with umlauts (ä, ö, ü)', 'behind a company proxy'],
  [
    'for read-only users',
    'on slow connections',
    'when the bank answers late',
    'after daylight saving time',
    'on Android 15',
  ],
  ['in the Frankfurt region', 'with an expired card', 'when the name is empty', 'for archived customers', 'on iPad'],
);

const wishes = [
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

/** A title that somebody in the team might have written. */
export function titleFor(random: Random, teamKey: string): string {
  const part = random.pick(parts[teamKey]!);
  const kind = random.next();
  if (kind < 0.55) return `${part} ${random.pick(troubles)} ${random.pick(circumstances)}`;
  if (kind < 0.85) return `${random.pick(wishes)} the ${lowered(part)} ${random.pick(circumstances)}`;
  if (kind < 0.95) return `${random.pick(customers)}: ${lowered(part)} ${random.pick(troubles)}`;
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

function lowered(part: string): string {
  return /^[A-Z]{2}/.test(part) ? part : part.charAt(0).toLowerCase() + part.slice(1);
}
