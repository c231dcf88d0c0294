/** Parts of the product by team key. */
export const parts: Record<string, string[]> = {
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

/** Ways in which a part of the product fails. */
export const troubles = [
  'fails',
  'hangs',
  'is slow',
  'shows a blank page',
  'loses the last entry',
  'rounds wrongly',
].concat(
  ['sends everything twice', 'ignores the time zone', 'returns 500', 'drops attachments', 'forgets the filter'],
  ['shows yesterday’s figures', 'breaks on emoji 🧾', 'mixes up accounts', 'times out after 30 s', 'needs a reload'],
);

/** Circumstances of failures. */
export const circumstances = [
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
