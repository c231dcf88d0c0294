import { projects } from '../../projects.js';
import { productPath, slug } from './pages.js';
import type { Source } from './sources.js';
import { launchSources } from './sources.js';
import { drawing, type Weighted } from './weights.js';

/** A project that was shown to the world, which the world noticed. */
export interface Launch {
  project: string;
  /** How many days before the sandbox began. */
  daysAgo: number;
  /** How many usual days' visits the first day brought on top. */
  height: number;
  sources: readonly Weighted<Source>[];
  draw: ReturnType<typeof drawing>;
}

function launch(project: string, daysAgo: number, height: number): Launch {
  const known = projects.find(({ name }) => name === project)!;
  const sources = launchSources(`${slug(known.name)}-launch`, productPath(known.name));
  return { project, daysAgo, height, sources, draw: drawing(sources) };
}

/** The launches of the last year, of what the company has finished or is rolling out. */
export const launches: readonly Launch[] = [
  launch('Bank feeds 2.0', 18, 4.5),
  launch('Single sign-on for everyone', 131, 2.2),
  launch('Self-service data export', 262, 1.4),
];

/** What a launch adds on a day, in usual days' visits: it fades within two weeks. */
export function additionOf({ daysAgo, height }: Launch, day: number): number {
  const since = day + daysAgo;
  return since < 0 || since > 14 ? 0 : height * Math.exp(-since / 2.5);
}
