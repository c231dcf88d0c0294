import { projects } from '../../projects.js';
import { productPath, slug } from './pages.js';
import { type Weighted, weightedSampler } from './weights.js';

/** Source of a visit. */
export interface Source {
  source: string;
  medium: string;
  channel: string;
  campaign: string;
  /** Landing page; any if undefined. */
  landing?: string;
  /** A site that adds a click id to every link. */
  tags?: 'fbclid';
  /** Bounce rate. */
  bounces: number;
}

type SourceOptions = Partial<Pick<Source, 'landing' | 'tags' | 'campaign'>>;

function source(
  weight: number,
  name: string,
  medium: string,
  channel: string,
  bounces: number,
  options: SourceOptions = {},
): Weighted<Source> {
  const campaign = medium === 'organic' ? '(organic)' : medium === 'referral' ? '(referral)' : '(not set)';
  return { weight, value: { source: name, medium, channel, campaign, bounces, ...options } };
}

const none = '(not set)';
const unavailable = '(data not available)';

/** Sources of visits to the website. */
export const websiteSources: readonly Weighted<Source>[] = [
  source(34, 'google', 'organic', 'Organic Search', 0.34),
  source(22, '(direct)', '(none)', 'Direct', 0.4, { campaign: '(direct)' }),
  source(5, 'bing', 'organic', 'Organic Search', 0.36),
  source(2, 'duckduckgo', 'organic', 'Organic Search', 0.3),
  source(5, 'google', 'cpc', 'Paid Search', 0.46, { campaign: 'ledger-brand', landing: '/pricing' }),
  source(4, 'google', 'cpc', 'Paid Search', 0.58, { campaign: 'bookkeeping-generic', landing: '/product' }),
  source(6, 'newsletter', 'email', 'Email', 0.24, { campaign: 'monthly-digest' }),
  source(4, 'linkedin.com', 'referral', 'Organic Social', 0.5),
  source(3, 'facebook.com', 'paid_social', 'Paid Social', 0.66, { campaign: 'retargeting', tags: 'fbclid' }),
  source(2, 'facebook.com', 'referral', 'Organic Social', 0.6, { tags: 'fbclid' }),
  source(3, 'capterra.com', 'referral', 'Referral', 0.22, { landing: '/pricing' }),
  source(2, 'chatgpt.com', 'referral', 'Referral', 0.28),
  source(2, 'help.fernhill.example', 'referral', 'Referral', 0.2),
  source(1.5, none, none, 'Unassigned', 0.7, { campaign: none }),
  source(1, unavailable, unavailable, 'Unassigned', 0.7, { campaign: unavailable }),
];

/** Sources of visits to the application, mostly from its users. */
export const applicationSources: readonly Weighted<Source>[] = [
  source(60, '(direct)', '(none)', 'Direct', 0.06, { campaign: '(direct)' }),
  source(18, 'fernhill.example', 'referral', 'Referral', 0.1),
  source(12, 'notifications', 'email', 'Email', 0.12, { campaign: 'approval-waiting' }),
  source(6, 'accounts.google.com', 'referral', 'Referral', 0.08),
  source(2, none, none, 'Unassigned', 0.3, { campaign: none }),
];

/** Sources of a launch's extra visits. */
function launchSources(campaign: string, landing: string): readonly Weighted<Source>[] {
  return [
    source(30, 'newsletter', 'email', 'Email', 0.2, { campaign, landing }),
    source(24, 'news.ycombinator.com', 'referral', 'Referral', 0.62, { landing }),
    source(20, 'linkedin.com', 'referral', 'Organic Social', 0.4, { landing }),
    source(14, 'google', 'cpc', 'Paid Search', 0.42, { campaign, landing }),
    source(12, '(direct)', '(none)', 'Direct', 0.36, { campaign: '(direct)', landing }),
  ];
}

/** A public launch that increased traffic. */
export interface Launch {
  project: string;
  /** Days before the sandbox started. */
  daysAgo: number;
  /** Extra traffic on the first day, as a multiple of an average day's traffic. */
  height: number;
  sources: readonly Weighted<Source>[];
  draw: ReturnType<typeof weightedSampler>;
}

function launch(project: string, daysAgo: number, height: number): Launch {
  const companyProject = projects.find(({ name }) => name === project)!;
  const sources = launchSources(`${slug(companyProject.name)}-launch`, productPath(companyProject.name));
  return { project, daysAgo, height, sources, draw: weightedSampler(sources) };
}

/** Last year's launches: projects finished or rolling out. */
export const launches: readonly Launch[] = [
  launch('Bank feeds 2.0', 18, 4.5),
  launch('Single sign-on for everyone', 131, 2.2),
  launch('Self-service data export', 262, 1.4),
];

/** Extra traffic from a launch on a given day, as a multiple of an average day's traffic; it fades within two weeks. */
export function launchTraffic({ daysAgo, height }: Launch, day: number): number {
  const since = day + daysAgo;
  return since < 0 || since > 14 ? 0 : height * Math.exp(-since / 2.5);
}
