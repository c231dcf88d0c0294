import type { State } from 'agent-connectors-service';
import type { Claim } from '../../../service/src/data/state/replication-types.js';
import { newKey } from '../keys.js';
import { createTenant, newFolder, newState, noon } from './fixtures.js';

/** Connector types that are replicated. */
export const types = ['linear', 'gong'];

/** A state with a clock controlled by the test, with a connector and other processes that use its folder. */
export async function setting() {
  const clock = { time: noon };
  const now = () => clock.time;
  const folder = newFolder();
  const keys = [newKey()];
  const state = await newState({ folder, keys, now });
  const { scope, connect, workspace } = await createTenant(state);
  return { clock, state, scope, connect, workspace, other: () => newState({ folder, keys, now }) };
}

/** A job that has been planned and claimed. */
export const planned = async (state: State): Promise<Claim> => {
  await state.jobs.plan(types, 10);
  return (await state.jobs.claim(types))!;
};
