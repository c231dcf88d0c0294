import { describe, expect, test } from 'vitest';
import { localActions, type Subject } from '../../sandbox/src/testing/subject.js';
import { normalise, outcomeOf } from './outcome.js';
import { pairOf, paramsOn } from './pair.js';
import { subjects } from './subjects/index.js';

const actionsOf = ({ Connector }: { Connector: unknown }) => localActions({ Connector } as Subject);

test('there are 66 actions to compare', () => {
  expect(subjects.flatMap(([, subject]) => actionsOf(subject))).toHaveLength(66);
});

describe.each(subjects)('%s returns the same result in both modes', (_name, subject) => {
  test.each(actionsOf(subject).map((tried) => [tried.label, tried] as const))('from %s', async (_, tried) => {
    const { local, hosted } = await pairOf(subject);
    const outcomes = await Promise.all(
      [local, hosted].map(async (way) => {
        const params = await paramsOn(way, subject, tried.label);
        const outcome = await outcomeOf(() => way.connector.execute(tried.entity, tried.action, params));
        return normalise(outcome, way, subject, tried.label);
      }),
    );
    expect(outcomes[0]).not.toHaveProperty('error');
    expect([outcomes[0]!.data].flat().length).toBeGreaterThan(0);
    expect(outcomes[1]).toStrictEqual(outcomes[0]);
    // Each vendor received the same requests, whichever path the call took, except for the id of a write with a key.
    const asked = ({ sandbox }: typeof local) =>
      sandbox.requests
        .filter(({ path }) => path !== '/drive/v3/files/generateIds')
        .map(({ method, path, rootField, status }) => ({ method, path, rootField, status }));
    expect(asked(hosted)).toEqual(asked(local));
  });
});
