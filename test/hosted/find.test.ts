import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { json } from '../engine/fake-fetch.js';
import { waitUntil } from '../engine/time.js';
import { failure } from '../failure.js';
import {
  baseUrl,
  client,
  connectorListReply,
  errorReply,
  type ReplyHandlers,
  serviceDouble,
  successReply,
} from './double.js';

/** A connector with these options for its lookup. */
function placed(place: object, list: NonNullable<ReplyHandlers['list']>) {
  const double = serviceDouble({ list });
  const linear = new LinearConnector({ hosted: { baseUrl, ...client, ...place }, fetch: double.fetch });
  const usedId = () => double.executed.map(({ url }) => url.pathname.split('/').at(-2));
  return { linear, ...double, usedId };
}

describe('the connector', () => {
  test('is the one with the given id, which needs no lookup', async () => {
    const { linear, lists, usedId } = placed({ connectorId: 'con/1' }, () => connectorListReply({}));
    await linear.issues.list();
    expect(usedId()).toEqual(['con%2F1']);
    expect(lists).toEqual([]);
  });

  test('is the only one of its type in the workspace, looked up once', async () => {
    const { linear, lists, usedId } = placed({}, () => connectorListReply({ con_9: 'Any' }));
    await Promise.all([linear.issues.list(), linear.users.list()]);
    await linear.issues.list();
    expect(usedId()).toEqual(['con_9', 'con_9', 'con_9']);
    expect(lists.map(({ url }) => url.searchParams.toString())).toEqual([
      'workspace_name=default&connector_type=linear',
    ]);
  });

  test('is the one with the given name, in the given workspace', async () => {
    const { linear, lists, usedId } = placed({ workspace: 'sales & co', name: 'support' }, () =>
      connectorListReply({ con_1: 'Linear', con_2: 'Support', con_3: 'Support 2' }),
    );
    await linear.issues.list();
    expect(usedId()).toEqual(['con_2']);
    expect(lists[0]!.url.searchParams.get('workspace_name')).toBe('sales & co');
  });

  test('with the exact name takes precedence over those whose names differ only in case', async () => {
    const { linear, usedId } = placed({ name: 'support' }, () =>
      connectorListReply({ con_1: 'Support', con_2: 'support' }),
    );
    await linear.issues.list();
    expect(usedId()).toEqual(['con_2']);
  });

  test('is found on any page', async () => {
    const { linear, lists, usedId } = placed({ name: 'Third' }, ({ url }) =>
      url.searchParams.get('cursor') === 'two'
        ? connectorListReply({ con_3: 'Third' })
        : connectorListReply({ con_1: 'First' }, 'two'),
    );
    await linear.issues.list();
    expect(usedId()).toEqual(['con_3']);
    expect(lists).toHaveLength(2);
  });

  test('that does not exist causes an error that lists the existing ones', async () => {
    const { linear, executed } = placed({ name: 'Support' }, () =>
      connectorListReply({ con_1: 'Linear', con_2: 'Old' }),
    );
    const error = await failure(linear.issues.list());
    expect(error.code).toBe('not_found');
    expect(error.message).toBe(
      "The workspace 'default' has no Linear connector named 'Support'. Available: 'Linear' (con_1), 'Old' (con_2).",
    );
    expect(executed).toEqual([]);
    const none = placed({}, () => connectorListReply({}));
    expect((await failure(none.linear.issues.list())).message).toBe("The workspace 'default' has no Linear connector.");
  });

  test('must be named if there are several', async () => {
    const { linear } = placed({}, () => connectorListReply({ con_1: 'Linear', con_2: 'Linear 2' }));
    const error = await failure(linear.issues.list());
    expect(error).toMatchObject({ code: 'invalid_params', hint: 'Pass hosted.name or hosted.connectorId.' });
    expect(error.message).toContain("'Linear' (con_1), 'Linear 2' (con_2)");
  });

  test('is looked up again after a failure, and after its deletion', async () => {
    const {
      linear,
      lists,
      fetch: _,
      ...rest
    } = placed({}, (_sent, count) =>
      count === 1
        ? errorReply(404, 'not_found', { message: "There is no workspace 'default'." })
        : connectorListReply({ con_1: 'L' }),
    );
    expect((await failure(linear.issues.list())).message).toBe("There is no workspace 'default'.");
    await linear.issues.list();
    expect([lists.length, rest.executed.length]).toEqual([2, 1]);

    const double = serviceDouble({
      list: (_sent, count) => connectorListReply({ [`con_${count}`]: 'Linear' }),
      execute: ({ url }) =>
        url.pathname.includes('con_1')
          ? errorReply(404, 'not_found', { message: "There is no connector 'con_1'." })
          : successReply(),
    });
    const moved = new LinearConnector({ hosted: { baseUrl, ...client }, fetch: double.fetch });
    expect((await failure(moved.issues.list())).code).toBe('not_found');
    expect((await moved.issues.list()).data).toEqual([]);
  });

  test('is not looked up again if a record is missing', async () => {
    const double = serviceDouble({ execute: () => errorReply(404, 'not_found', { vendor: { status: 404 } }) });
    const linear = new LinearConnector({ hosted: { baseUrl, ...client }, fetch: double.fetch });
    await failure(linear.issues.get({ id: 'ENG-1' }));
    await failure(linear.issues.get({ id: 'ENG-1' }));
    expect(double.lists).toHaveLength(1);
  });

  test('is found for other calls even if the call that started the lookup is aborted', async () => {
    let give: (response: Response) => void = () => {};
    const { linear, lists } = placed({}, () => new Promise((resolve) => (give = resolve)));
    const controller = new AbortController();
    const first = linear.execute('issues', 'list', {}, { signal: controller.signal });
    const second = linear.issues.list();
    await waitUntil(() => lists.length === 1);
    controller.abort();
    expect((await failure(first)).code).toBe('aborted');
    give(connectorListReply({ con_1: 'Linear' }));
    expect((await second).data).toEqual([]);
  });

  test.each([
    ['no list', () => json({ connectors: [] })],
    ['pages with a repeating cursor', () => connectorListReply({ con_1: 'Linear' }, 'again')],
  ])('cannot be looked up in %s', async (_, list) => {
    skipBackoff();
    const { linear } = placed({}, list);
    expect((await failure(linear.issues.list())).code).toBe('invalid_response');
  });
});
