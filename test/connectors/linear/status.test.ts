import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorWithReplies, listOf } from './setup.js';

const status = (id: string, type: string, position: number, archivedAt: string | null = null) => ({
  id,
  name: id,
  type,
  position,
  archivedAt,
});
const made = { data: { projectCreate: { success: true, project: { id: 'p', status: { type: 'started' } } } } };
const creation = { name: 'P', teamIds: ['t'], state: 'started' as const };

describe('the status for a state', () => {
  test('is the first by position, never an archived one', async () => {
    const { linear, sent } = connectorWithReplies(
      listOf('projectStatuses', [
        status('later', 'started', 2.5),
        status('first', 'started', 1.5),
        status('gone', 'started', 0, '2026-01-01T00:00:00.000Z'),
        status('other', 'planned', 0.5),
      ]),
      made,
    );
    expect((await linear.projects.create(creation)).data.project.state).toBe('started');
    expect(sent[1]!.json.variables.input).toMatchObject({ statusId: 'first' });
  });

  test('is searched for on every page', async () => {
    const { linear, sent } = connectorWithReplies(
      listOf('projectStatuses', [status('a', 'planned', 1)], 'next', true),
      listOf('projectStatuses', [status('b', 'started', 2)]),
      made,
    );
    await linear.projects.create(creation);
    expect(sent.map(({ json }) => json.variables.after)).toEqual([undefined, 'next', undefined]);
    expect(sent[2]!.json.variables.input).toMatchObject({ statusId: 'b' });
  });

  test('that the workspace does not have is an error before anything is written', async () => {
    const { linear, sent } = connectorWithReplies(listOf('projectStatuses', [status('a', 'planned', 1)]));
    const error = await failure(linear.projects.create(creation));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'state' }] });
    expect(error.message).toContain('planned');
    expect(sent).toHaveLength(1);
  });

  test('is looked up for every call, since it can change at any time', async () => {
    const statuses = listOf('projectStatuses', [status('a', 'started', 1)]);
    const { linear, sent } = connectorWithReplies(statuses, made, statuses, made);
    await linear.projects.create(creation);
    await linear.projects.create(creation);
    expect(sent.filter(({ json }) => json.query.includes('projectStatuses'))).toHaveLength(2);
  });

  test('is not looked up if no state is given', async () => {
    const { linear, sent } = connectorWithReplies(made);
    await linear.projects.create({ name: 'P', teamIds: ['t'] });
    expect(sent).toHaveLength(1);
    expect(sent[0]!.json.variables.input).not.toHaveProperty('statusId');
  });
});
