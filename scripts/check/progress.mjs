/** A vitest reporter that records each test's start and end, so that a killed run can still be counted. */
import { appendFileSync } from 'node:fs';

export default class Progress {
  #file = process.env.TEST_PROGRESS;

  onTestCaseReady(test) {
    this.#note('started', test);
  }

  onTestCaseResult(test) {
    this.#note(test.result().state, test, test.diagnostic()?.retryCount);
  }

  #note(state, { id, fullName, module }, retries) {
    const line = JSON.stringify({ id, state, retries, name: `${module.relativeModuleId} > ${fullName}` });
    if (this.#file) appendFileSync(this.#file, `${line}\n`);
  }
}
