import type { ConnectorOverview } from 'agent-connectors/wire';
import { wordsOf } from '../data/record.js';
import { texts } from '../texts/index.js';

type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'off';

const tones: Readonly<Record<string, Tone>> = {
  fresh: 'good',
  stale: 'warn',
  ready: 'good',
  done: 'good',
  success: 'good',
  succeeded: 'good',
  syncing: 'busy',
  updating: 'busy',
  running: 'busy',
  begun: 'busy',
  initializing: 'busy',
  queued: 'busy',
  waiting: 'off',
  retrying: 'warn',
  inconclusive: 'warn',
  failing: 'bad',
  failed: 'bad',
  needs_reauthorization: 'bad',
  no_credentials: 'warn',
  not_replicated: 'off',
  not_configured: 'off',
  cancelled: 'off',
  enabled: 'good',
  disabled: 'off',
  delivered: 'good',
  pending: 'busy',
  approved: 'good',
  executed: 'good',
  refused: 'bad',
  expired: 'off',
};

/** A status in one word, with a symbol in addition to its color. */
export function Status({ of }: { readonly of: ConnectorOverview['health'] | string }) {
  return <span class={`status ${tones[of] ?? 'bad'}`}>{texts.status[of] ?? wordsOf(of)}</span>;
}
