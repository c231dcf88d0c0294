import type { Health } from '../../../src/web/console/types.js';

type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'off';

const tones: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  fresh: ['good', 'Up to date'],
  stale: ['warn', 'Out of date'],
  ready: ['good', 'Ready'],
  done: ['good', 'Done'],
  success: ['good', 'Success'],
  succeeded: ['good', 'Succeeded'],
  syncing: ['busy', 'Syncing'],
  updating: ['busy', 'Updating'],
  running: ['busy', 'Running'],
  begun: ['busy', 'Started'],
  initializing: ['busy', 'First sync'],
  queued: ['busy', 'Queued'],
  waiting: ['off', 'Waiting'],
  retrying: ['warn', 'Retrying'],
  inconclusive: ['warn', 'Inconclusive'],
  failing: ['bad', 'Failing'],
  failed: ['bad', 'Failed'],
  needs_reauthorization: ['bad', 'Credentials rejected'],
  no_credentials: ['warn', 'No credentials'],
  not_replicated: ['off', 'Not replicated'],
  not_configured: ['off', 'Not replicated'],
  cancelled: ['off', 'Cancelled'],
  enabled: ['good', 'Enabled'],
  disabled: ['off', 'Disabled'],
  delivered: ['good', 'Delivered'],
  pending: ['busy', 'Pending'],
  approved: ['good', 'Approved'],
  executed: ['good', 'Executed'],
  refused: ['bad', 'Refused'],
  expired: ['off', 'Expired'],
};

/** A status in one word, with a symbol for readers who do not see the colour. */
export function Status({ of }: { readonly of: Health | string }) {
  const [tone, words] = tones[of] ?? ['bad', of];
  return <span class={`status ${tone}`}>{words}</span>;
}
