import { customers } from '../../company.js';
import type { Random } from '../../random.js';

const openings = [
  'Reported by %c on a call this week.',
  'Seen in production since the last deploy.',
  'Came up in the retro, nobody owned it so far.',
  'Second ticket about this from %c, so it is not only them.',
  'Found while looking at something else.',
  'Follow-up of the planning session: we said that we would do this before the quarter ends.',
];

const steps = [
  'Open the ledger of any customer in a test account',
  'Switch the currency to CHF',
  'Upload the attached file (2.4 MB)',
  'Wait for the spinner to go away',
  'Press **Save** twice, quickly',
  'Sign in as a read-only user',
  'Compare with the balance in the bank statement',
  'Look at the network tab: `GET /v2/balances` answers 200 with an empty list',
];

const outcomes = [
  '**Expected:** one booking. **Actual:** two, with the same reference.',
  '**Expected:** an error message. **Actual:** nothing at all, not even in the console.',
  'It works again after a reload, which makes it hard to catch.',
  'Only accounts created before 2024 are affected as far as I can see 🤔',
];

const extras = [
  '```\nTimeoutError: no answer within 30000 ms\n    at fetchStatement (feeds/statement.ts:118:11)\n    at async reconcile (feeds/reconcile.ts:42:20)\n```',
  '| Account | Ledger | Bank |\n|---|---:|---:|\n| 1020 | 12,450.00 | 12,450.05 |\n| 1021 | 0.00 | −0.05 |',
  '- [x] reproduce\n- [ ] failing test\n- [ ] fix\n- [ ] tell %c',
  '> “It used to work before the update.” – %c',
  'See [the runbook](https://wiki.fernhill.example/runbooks/feeds?section=2&lang=en#retries) and the thread in #ledger.',
  '日本語の取引先名でも確認済み。Також з кирилицею.',
];

/** An issue's description in Markdown, or null. */
export function descriptionFor(random: Random): string | null {
  const kind = random.next();
  if (kind < 0.16) return null;
  const opening = fillTemplate(random, random.pick(openings));
  if (kind < 0.45) return opening;
  const list = pickSome(random, steps, 3).map((step, index) => `${index + 1}. ${step}`);
  const short = `${opening}\n\n### Steps\n\n${list.join('\n')}\n\n${random.pick(outcomes)}`;
  if (kind < 0.8) return short;
  const long = `${short}\n\n${fillTemplate(random, random.pick(extras))}`;
  if (kind < 0.985) return long;
  return `# Notes from the investigation\n\n${Array.from({ length: 14 }, (_, index) => `## Day ${index + 1}\n\n${fillTemplate(random, random.pick(extras))}\n\n${steps.join('. ')}.\n\n${outcomes.join('\n\n')}`).join('\n\n')}`;
}

const remarks = [
  'I can reproduce this on staging.',
  'Could you add the request id? Then I can look it up in the logs.',
  '%c confirmed that it is gone 🎉',
  'Let us not do this before the release.',
  'Pushed a fix, waiting for review.',
  'This is the same cause as last month: we retry without an idempotency key.',
  'Moved to next week, sorry. I was pulled into the incident.',
  '👍',
  'Who could take this while I am away?',
  'I would rather fix the cause than the symptom. A day more, but then it is over.',
  'Numbers from last night: p50 210 ms, p95 1.9 s, p99 **12 s**.',
  'Merci ! Ça marche chez moi aussi.',
  'Screenshots in the shared drive, folder “Receipts / March”.',
  'Is this still relevant? No one mentioned it for weeks.',
  'Talked to %c: they can live with the workaround until the end of the month.',
];

const robotRemarks = [
  'Merged pull request [#%n Fix retry without key](https://code.fernhill.example/ledger/pull/%n) into `main`.',
  'Opened pull request [#%n](https://code.fernhill.example/ledger/pull/%n).',
  'Deployed to **production** in release 2026.%n.',
];

/** A comment by a person. */
export function remarkFor(random: Random): string {
  const remark = fillTemplate(random, random.pick(remarks));
  if (!random.chance(0.07)) return remark;
  return `${remark}\n\n${fillTemplate(random, random.pick(extras))}`;
}

/** A comment by an integration. */
export function robotRemarkFor(random: Random): string {
  return random.pick(robotRemarks).replaceAll('%n', String(random.between(100, 2400)));
}

function fillTemplate(random: Random, text: string): string {
  return text.includes('%c') ? text.replaceAll('%c', random.pick(customers)) : text;
}

function pickSome<Item>(random: Random, list: readonly Item[], count: number): Item[] {
  const start = random.between(0, list.length - 1);
  return Array.from({ length: count }, (_, index) => list[(start + index * 3) % list.length]!);
}
