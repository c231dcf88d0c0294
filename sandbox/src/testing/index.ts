/**
 * The test suite that every connector must pass, for Vitest.
 * @module agent-connectors-sandbox/testing
 */
import { describe } from 'vitest';
import { testAbortsAndTimeouts } from './aborts-and-timeouts.js';
import { testFaults } from './faults.js';
import { testManifest } from './manifest.js';
import { testOnDemandParts } from './on-demand.js';
import { testPages } from './pages.js';
import { testParameters } from './parameters.js';
import { testPolicy } from './policy.js';
import { testResults } from './results.js';
import { testSecrets } from './secrets.js';
import { type EmulatedVendor, type Subject, sampleActions, type TestedClass } from './subject.js';

export type {
  EmulatedVendor,
  PageFault,
  Paging,
  Subject,
  TestedClass,
  TestedConnector,
} from './subject.js';

/**
 * Declares the tests of one connector: its manifest with setup and replication, results, parameters, pages, secrets and
 * policy for every action that `describe()` lists; faults, aborts and timeouts for every write, and for one read for
 * each way of calling the vendor (methods, GraphQL, bytes, pages). Call it at the top of a test file.
 *
 * The first run writes `describe.txt` next to the test file: one line per action, with its parameters, result and
 * effect. Commit it; after an intended change, run `vitest -u` and review the difference.
 *
 * @example
 * ```ts
 * import { createSandbox } from 'agent-connectors-sandbox';
 * import { testConnector } from 'agent-connectors-sandbox/testing';
 * import { LinearConnector } from 'agent-connectors/linear';
 *
 * testConnector({
 *   Connector: LinearConnector,
 *   sandbox: () => createSandbox({ seed: 7, now: () => Date.UTC(2026, 8, 1) }),
 *   credentials: ({ vendors }) => vendors.linear.credentials.api_key,
 *   pages: { sizeParameter: 'first', maxSize: 250 },
 *   params: {
 *     'teams.list': () => ({}),
 *     'teams.get': async (linear) => ({ id: (await linear.teams.list()).data[0]!.id }),
 *     // … and parameters for each of the other actions
 *   },
 * });
 * ```
 */
export function testConnector<C extends TestedClass, S extends EmulatedVendor>(subject: Subject<C, S>): void {
  const tested = subject as unknown as Subject;
  describe(`${tested.Connector.manifest.name}, like every connector`, () => {
    testManifest(tested);
    testOnDemandParts(tested);
    testResults(tested);
    testParameters(tested);
    testPages(tested);
    const sample = sampleActions(tested);
    testFaults(tested, sample);
    testAbortsAndTimeouts(tested, sample);
    testSecrets(tested);
    testPolicy(tested);
  });
}
