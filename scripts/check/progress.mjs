/** A vitest reporter that notes each test as it starts and ends, so that a run that is killed can still be counted. */
import { appendFileSync } from 'node:fs';

export default class Progress {
  #file = process.env.TEST_PROGRESS;

  onTestCaseReady(test) {
    this.#note('started', test);
  }

  onTestCaseResult(test) {
    this.#note(test.result().state, test);
  }

  #note(state, { id, fullName, module }) {
    const line = JSON.stringify({ id, state, name: `${module.relativeModuleId} > ${fullName}` });
    if (this.#file) appendFileSync(this.#file, `${line}\n`);
  }
}
