import { expect, test } from 'vitest';
import { casesOf, runCases } from '../../service/faults/matrix.js';
import { startRig } from '../../service/faults/rig.js';
import { writes } from '../../service/faults/writes.js';

const { FAULTS } = process.env;

/**
 * Google Drive's responses are long and repetitive, so they are sampled; FAULTS=every covers every byte with every kind of fault.
 */
const closeness = (type: string) => ({
  step: (direction: 'request' | 'reply') =>
    type === 'google-drive' && direction === 'reply' && FAULTS !== 'every' ? 13 : 1,
  everyKind: FAULTS === 'every',
});

test.each(writes.map((write) => [write.name, write] as const))(
  '%s is executed once, whichever byte is the last to arrive',
  async (name, write) => {
    const rig = await startRig();
    const cases = await casesOf(rig, write, closeness(write.type));
    const { counts, wrong } = await runCases(rig, cases);
    console.log(`measured: ${name}: ${cases.length} faults, ${wrong.length} wrong, ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  },
  12 * 3_600_000,
);
