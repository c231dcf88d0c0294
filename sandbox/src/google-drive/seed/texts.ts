import { company, customers, people } from '../../company.js';

const topics = [
  'bank feeds',
  'invoice matching',
  'the new ledger view',
  'currency rounding',
  'the mobile approval flow',
  'audit exports',
  'sign-in with passkeys',
  'the monthly close',
  'reminders for overdue invoices',
  'the import of old bookings',
  'permissions for accountants',
  'the VAT report',
];

const points = [
  'Two customers asked for it in the same week, so it moves up.',
  'We keep the first version small and leave the settings for later.',
  'The numbers of the pilot look good: **41 of 50** accounts use it every week.',
  'Open question: who tells the accountants before the switch?',
  'Nobody is happy with the wording, Noémie tries again.',
  'It must work without a mouse, and with a screen reader.',
  'Rollout in three steps: staff, pilot customers, everyone.',
  'The old endpoint stays for a year and warns in its headers.',
];

/** A topic for product improvements. */
export function topic(index: number): string {
  return topics[index % topics.length]!;
}

/** Meeting notes in Markdown. */
export function meetingNotes(index: number, date: string): string {
  const present = [0, 3, 7].map((step) => people[(index * 5 + step) % 20]!.name);
  const decided = [0, 1, 2].map((step) => `- ${points[(index + step * 3) % points.length]}`);
  return [
    `# Product weekly, ${date}`,
    '',
    `Present: ${present.join(', ')}`,
    '',
    `## ${capitalised(topic(index))}`,
    '',
    ...decided,
    '',
    '## Next steps',
    '',
    `- [ ] ${present[0]} writes to ${customers[index % customers.length]}`,
    `- [x] ${present[1]} updates the [roadmap](https://wiki.fernhill.example/roadmap)`,
  ].join('\n');
}

/** Requirements for an improvement, as Markdown. */
export function requirements(index: number): string {
  const name = capitalised(topic(index));
  return [
    `# ${name}`,
    '',
    `Customers of ${company.product} have asked about ${topic(index)} since last year. ${points[index % points.length]}`,
    '',
    '## Goals',
    '',
    ...[1, 4, 6].map((step) => `- ${points[(index + step) % points.length]}`),
    '',
    '## Not now',
    '',
    `Everything that has to do with ${topic(index + 1)}: that has its own document.`,
    '',
    `Customer quote, ${customers[index % customers.length]}: “We do this by hand every Friday afternoon.”`,
  ].join('\n');
}

/** A customer's kick-off document in Markdown. */
export function kickOff(customer: string, index: number): string {
  return [
    `# ${customer}: kick-off`,
    '',
    `Contact: accounts@${customer.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.example`,
    '',
    '## What they want',
    '',
    `- ${capitalised(topic(index))} before the end of the quarter`,
    `- Training for ${4 + index} people`,
    `- ${points[index % points.length]}`,
    '',
    '## What they fear',
    '',
    `That ${topic(index + 5)} takes as long as the last time.`,
  ].join('\n');
}

/** A customer's invoices as CSV. */
export function invoices(customer: string, index: number): string {
  const rows = Array.from({ length: 12 }, (_, month) => {
    const net = 400 + ((index * 137 + month * 61) % 900);
    return `${2026 - Math.floor(month / 6)}-${String(12 - month).padStart(2, '0')}-01,"${customer}",${net}.00,${(net * 0.19).toFixed(2)},${month < 2 ? 'open' : 'paid'}`;
  });
  return ['Date,Customer,Net,VAT,State', ...rows].join('\n');
}

/** The lines of a contract. */
export function contract(customer: string, index: number): string[] {
  return [
    `Service agreement between ${company.name} and ${customer}`,
    '',
    `1. ${company.name} provides ${company.product} for ${4 + index} users.`,
    `2. The monthly fee is EUR ${400 + index * 50}.00 plus VAT.`,
    '3. Either side may end the agreement at the end of a quarter.',
    '',
    `Signed for ${company.name}: ${people[0]!.name}`,
  ];
}

/** Capitalizes a string. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
