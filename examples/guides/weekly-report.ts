// #region connectors
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector, reports, toRecords } from 'agent-connectors/google-analytics';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const gong = new GongConnector({
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
    base_url: process.env.GONG_BASE_URL ?? 'https://api.gong.io',
  },
});
const analytics = new GoogleAnalyticsConnector({
  credentials: { credentials_json: process.env.GOOGLE_CREDENTIALS_JSON ?? '' },
});
const property_id = process.env.GOOGLE_ANALYTICS_PROPERTY_ID ?? '';
// #endregion

// #region report
/** A Markdown report of a week's finished issues, calls and website visits. `to` is exclusive. */
async function weeklyReport(from: Date, to: Date): Promise<string> {
  const lines = [`# ${day(from)} to ${day(to)}`, '', '## Finished'];

  const completedAt = { gte: from.toISOString(), lt: to.toISOString() };
  for await (const issue of linear.paginate('issues', 'list', { first: 50, filter: { completedAt } })) {
    lines.push(`- [${issue.identifier}](${issue.url}) ${issue.title} (${issue.assignee?.name ?? 'nobody'})`);
  }

  lines.push('', '## Calls');
  const week = { fromDateTime: from.toISOString(), toDateTime: to.toISOString() };
  for await (const call of gong.paginate('calls', 'list', week)) {
    lines.push(`- [${call.title ?? 'Untitled'}](${call.url}), ${Math.round((call.duration ?? 0) / 60)} minutes`);
  }

  lines.push('', '## Visitors');
  const dateRanges = [{ startDate: day(from), endDate: day(new Date(to.getTime() - 1)) }];
  const visits = await analytics.website_overview.list({ property_id, dateRanges });
  const days = toRecords(visits, { property_id, ...reports.website_overview });
  for (const { date, sessions } of days.sort((one, other) => Number(one.date) - Number(other.date))) {
    lines.push(`- ${date}: ${sessions} sessions`);
  }
  return lines.join('\n');
}

const day = (date: Date) => date.toISOString().slice(0, 10);
// #endregion

// #region print
const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0));
const weekBefore = new Date(midnight.getTime() - 7 * 86_400_000);
console.log(await weeklyReport(weekBefore, midnight));
// #endregion
