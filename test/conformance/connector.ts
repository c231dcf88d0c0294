import { describe } from 'vitest';
import { testEndings } from './endings.js';
import { testFaults } from './faults.js';
import { testGuard } from './guard.js';
import { testManifest } from './manifest.js';
import { testPages } from './pages.js';
import { testResults } from './results.js';
import { testSecrets } from './secrets.js';
import type { EmulatedVendor, Subject, TestedClass } from './subject.js';

/** Holds a connector to what every connector promises; each action that it describes is tried. */
export function testConnector<C extends TestedClass, S extends EmulatedVendor>(given: Subject<C, S>): void {
  const subject = given as unknown as Subject;
  describe(`${subject.Connector.manifest.name}, as every connector`, () => {
    testManifest(subject);
    testResults(subject);
    testPages(subject);
    testFaults(subject);
    testEndings(subject);
    testSecrets(subject);
    testGuard(subject);
  });
}
