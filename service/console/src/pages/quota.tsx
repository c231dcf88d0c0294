import type { ConnectorOverview, ExecuteAnswer, HostedConnector, Quota } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { ErrorNotice, Loading } from '../components/notice.js';
import { duration, Time } from '../components/time.js';
import { api, connectorPath } from '../data/api.js';
import { wordsOf } from '../data/record.js';
import { findQuotas } from '../data/series.js';
import { useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';

/** The vendor's remaining quotas, if known. */
export function QuotaLeft({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, title, job } = connector;
  const quota = useResource(
    (signal) => api<Quota>(connectorPath(id, '/quota'), { signal }),
    [id, job?.id, job?.status],
  );
  if (quota.state === 'loading') return <Loading />;
  if (quota.state === 'failed') return <ErrorNotice error={quota.error} retry={quota.reload} />;
  const { reported, limits, sent, refused_at } = quota.data;
  const hasPropertyQuota = connector.connector_type === 'google-analytics';
  return (
    <figure class="chart">
      <figcaption>
        <strong>{texts.quota.title}</strong>
      </figcaption>
      {reported.length > 0 ? (
        <ul class="ages">
          {reported.map(({ name, remaining, limit, reported_at }) => (
            <li key={name}>
              <span title={name}>{wordsOf(name)}</span>
              {limit === null ? (
                <span />
              ) : (
                <meter min={0} max={Math.max(limit, 1)} value={remaining} aria-label={texts.quota.leftOf(name)} />
              )}
              <span>
                {limit === null ? texts.quota.left(remaining) : texts.quota.leftOfLimit(remaining, limit)},{' '}
                <Time at={reported_at} absent="" />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {hasPropertyQuota ? <PropertyQuota id={id} /> : null}
      {limits.length > 0 ? (
        <ul class="ages">
          {limits.map(({ requests, seconds, sent: used }) => (
            <li key={seconds}>
              <span>{spanOf(seconds)}</span>
              <meter
                min={0}
                max={requests}
                value={Math.max(0, requests - used)}
                aria-label={texts.quota.leftOf(spanOf(seconds))}
              />
              <span>{texts.quota.leftOfLimit(Math.max(0, requests - used), requests)}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <p class="quiet">
        {reported.length === 0 && !hasPropertyQuota ? `${texts.quota.notReported(title)} ` : ''}
        {reported.length === 0 && !hasPropertyQuota && limits.length > 0 ? `${texts.quota.othersNotCounted} ` : ''}
        {texts.quota.sent(sent.last_minute, sent.last_day)} <Time at={sent.since} absent="" />.{' '}
        {refused_at === null ? texts.quota.notLimited : `${texts.quota.lastLimited} `}
        {refused_at === null ? null : <Time at={refused_at} absent="" />}
      </p>
    </figure>
  );
}

const spanOf = (seconds: number): string =>
  seconds >= 86_400 ? texts.quota.perDay : seconds === 60 ? texts.quota.perMinute : duration(seconds * 1000);

/** Asks for a property's quota on request, because the answer takes some of it. */
function PropertyQuota({ id }: { readonly id: string }) {
  const [isAsked, setAsked] = useState(false);
  return isAsked ? (
    <ReportedQuota id={id} />
  ) : (
    <p>
      <button type="button" onClick={() => setAsked(true)}>
        {texts.quota.ask}
      </button>
    </p>
  );
}

/** Google Analytics reports a property's quota with every report, so this requests a small one. */
function ReportedQuota({ id }: { readonly id: string }) {
  const quota = useResource(
    async (signal) => {
      const { replication_config } = await api<HostedConnector>(connectorPath(id), { signal });
      const propertyIds = replication_config?.property_ids;
      const property_id = String(Array.isArray(propertyIds) ? propertyIds[0] : (propertyIds ?? '')).match(/\d+/)?.[0];
      const { connector_metadata } = await api<ExecuteAnswer>(connectorPath(id, '/execute'), {
        method: 'POST',
        json: {
          entity: 'website_overview',
          action: 'list',
          params: { property_id, limit: 1, returnPropertyQuota: true },
        },
        signal,
      });
      return findQuotas(connector_metadata);
    },
    [id],
  );
  if (quota.state === 'loading') return <Loading />;
  if (quota.state === 'failed') return <ErrorNotice error={quota.error} retry={quota.reload} />;
  if (quota.data.length === 0) return <p class="quiet">{texts.quota.noneReported}</p>;
  return (
    <ul class="ages">
      {quota.data.map(({ name, remaining, used }) => (
        <li key={name}>
          <span title={name}>{wordsOf(name)}</span>
          <meter min={0} max={remaining + used} value={remaining} aria-label={texts.quota.leftOf(name)} />
          <span>{texts.quota.leftOfLimit(remaining, remaining + used)}</span>
        </li>
      ))}
    </ul>
  );
}
