import { expect, test } from 'vitest';
import { casesOf, runCases } from '../../service/faults/matrix.js';
import { startRig } from '../../service/faults/rig.js';
import { writes } from '../../service/faults/writes.js';

const { FAULTS, FAULTS_PART = '1/1' } = process.env;
const [part, parts] = FAULTS_PART.split('/').map(Number) as [number, number];

/**
 * Google Drive's responses are long and repetitive, so they are sampled; FAULTS=every covers every byte with every kind
 * of fault. FAULTS_PART=2/8 runs the second of eight parts.
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
    const all = await casesOf(rig, write, closeness(write.type));
    const cases = all.filter((_, index) => index % parts === part - 1);
    const { counts, wrong } = await runCases(rig, cases);
    console.log(
      `measured: ${name}: ${cases.length} of ${all.length} faults, ${wrong.length} wrong, ${JSON.stringify(counts)}`,
    );
    expect(wrong).toEqual([]);
  },
  12 * 3_600_000,
);
