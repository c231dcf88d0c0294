import { projects } from '../../projects.js';
import { productPath, slug } from './pages.js';
import type { Source } from './sources.js';
import { launchSources } from './sources.js';
import { type Weighted, weightedSampler } from './weights.js';

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
