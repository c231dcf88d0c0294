import type { ParitySubject } from '../subject.js';
import { gong } from './gong.js';
import { analytics } from './google-analytics.js';
import { drive } from './google-drive.js';
import { granola } from './granola.js';
import { linear } from './linear.js';

/** All five connectors, by name. */
export const subjects: ReadonlyArray<readonly [string, ParitySubject]> = [analytics, drive, gong, granola, linear].map(
  (subject) => [subject.Connector.manifest.name, subject] as const,
);

export { analytics, drive, gong, granola, linear };
