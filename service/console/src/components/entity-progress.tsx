import type { SyncJob } from 'agent-connectors/wire';
import { texts } from '../texts/index.js';
import { duration } from './time.js';

/** What a running job has read of an entity: a share and a time left only if the vendor says how many there are. */
export function EntityProgress({ of }: { readonly of: SyncJob['entities'][number] | undefined }) {
  if (!of || of.status === 'done' || of.status === 'failed') return null;
  if (of.status === 'waiting' && of.read === 0) return <span class="reason">{texts.sync.waits}</span>;
  const { entity, read, total = null, started_at } = of;
  const seconds = started_at === undefined ? 0 : (Date.now() - Date.parse(started_at)) / 1000;
  const rate = seconds >= 1 ? read / seconds : 0;
  const left = total !== null && rate > 0 && total > read ? ((total - read) / rate) * 1000 : undefined;
  return (
    <>
      {total === null ? null : (
        <progress value={Math.min(read, total)} max={Math.max(1, total)} aria-label={texts.sync.progressOf(entity)} />
      )}
      <span class="reason">
        {[
          total === null ? texts.sync.readSoFar(read) : texts.sync.readOf(read, total),
          ...(rate > 0 ? [texts.sync.rate(rate)] : []),
          ...(left === undefined ? [] : [texts.sync.left(duration(left))]),
        ].join(' · ')}
      </span>
    </>
  );
}
