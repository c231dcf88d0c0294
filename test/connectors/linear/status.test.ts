import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorOnSandbox, connectorWithReplies, listOf } from './setup.js';

const status = (
  id: string,
  type: string,
  position: number,
  archivedAt: string | null = null,
  teamId: string | null = null,
) => ({
  id,
  name: id,
  type,
  position,
  archivedAt,
  team: teamId === null ? null : { id: teamId },
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

  test('is one of the workspace if the schema has no statuses of teams', async () => {
    const message = 'Cannot query field "team" on type "ProjectStatus".';
    const { linear, sent } = connectorWithReplies(
      { errors: [{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
      listOf('projectStatuses', [{ ...status('only', 'started', 1), team: undefined }]),
      made,
    );
    expect((await linear.projects.create(creation)).data.project.state).toBe('started');
    expect(sent.map(({ json }) => json.query.includes('team {'))).toEqual([true, false, false]);
    expect(sent[2]!.json.variables.input).toMatchObject({ statusId: 'only' });
  });

  test('is not chosen after another error', async () => {
    const message = 'Cannot query field "position" on type "ProjectStatus".';
    const { linear, sent } = connectorWithReplies({
      errors: [{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    expect((await failure(linear.projects.create(creation))).vendor?.message).toBe(message);
    expect(sent).toHaveLength(1);
  });

  test("is one of the project's team, then one of the workspace, never one of another team", async () => {
    const all = [
      status('foreign', 'started', 0, null, 'other'),
      status('shared', 'started', 1),
      status('own', 'started', 2, null, 't'),
      status('foreign-planned', 'planned', 0, null, 'other'),
      status('shared-planned', 'planned', 1),
      status('foreign-paused', 'paused', 0, null, 'other'),
    ];
    const chosen = async (state: 'started' | 'planned' | 'paused') => {
      const { linear, sent } = connectorWithReplies(listOf('projectStatuses', all), made);
      await linear.projects.create({ ...creation, state });
      return sent[1]!.json.variables.input.statusId;
    };
    expect([await chosen('started'), await chosen('planned')]).toEqual(['own', 'shared-planned']);
    expect((await failure(chosen('paused'))).code).toBe('invalid_params');
    const project = {
      data: { project: { id: 'p', status: { type: 'planned' }, teams: { nodes: [{ id: 'other' }] } } },
    };
    const updated = { data: { projectUpdate: { success: true, project: { id: 'p', status: { type: 'started' } } } } };
    const { linear, sent } = connectorWithReplies(project, listOf('projectStatuses', all), updated);
    await linear.projects.update({ id: 'p', state: 'started' });
    expect(sent[2]!.json.variables.input).toMatchObject({ statusId: 'foreign' });
  });

  test('in the sandbox fits the team of the project', async () => {
    const { linear, sandbox } = connectorOnSandbox();
    const [team, other] = (await linear.teams.list({})).data.map(({ id }) => id);
    const dump = structuredClone(sandbox.dump()) as any;
    const { projectStatuses } = dump.vendors.linear.workspace.tables;
    const started = projectStatuses.find(({ type, archivedAt }: any) => type === 'started' && archivedAt === null);
    projectStatuses.push({ ...started, id: '0b9b0f4c-6b3e-4f0e-9c3c-0d9f3a1c2b4d', position: -1, teamId: other });
    sandbox.load(dump);
    const { data } = await linear.projects.create({ name: 'P', teamIds: [team!], state: 'started' });
    expect(data.project.state).toBe('started');
    const moved = await linear.projects.create({ name: 'Q', teamIds: [other!], state: 'planned' });
    expect((await linear.projects.update({ id: moved.data.project.id, state: 'started' })).data.project.state).toBe(
      'started',
    );
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
