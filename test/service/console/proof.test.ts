import type { EntityDescription } from 'agent-connectors/wire';
import { expect, test } from 'vitest';
import { type Place, proofOf } from '../../../service/console/src/data/proof.js';
import type { Fields } from '../../../service/console/src/data/record.js';

const place = (id: string, fields: readonly string[], record: Fields): Place => {
  const types = Object.fromEntries(fields.map((name) => [name, 'string']));
  return {
    connector: { id } as Place['connector'],
    entity: { name: id, search: { fields: types } } as unknown as EntityDescription,
    record,
  };
};

const issue = (record: Fields = {}) =>
  place('issues', ['id', 'identifier', 'title', 'url', 'attachments'], {
    id: '00b1e344-af80-4b3b-acf2-637715eb6994',
    identifier: 'MOB-5',
    url: 'https://linear.app/fernhill/issue/MOB-5/home-widget',
    ...record,
  });
const call = (record: Fields = {}) =>
  place('calls', ['id', 'title', 'url', 'calendarEventId'], {
    id: '1280824545574103773',
    url: 'https://us-55616.app.gong.io/call?id=1280824545574103773',
    calendarEventId: 'event',
    ...record,
  });
const file = (record: Fields = {}) =>
  place('files', ['id', 'file_name', 'content'], { id: '1-SPUy3WkGnAMOgoD0TxFdvikDUNM_G1QV6EX8BAZAka', ...record });
const note = (record: Fields = {}) => place('notes', ['id', 'calendar_event'], { id: 'not_0S8dQVMuEgERPW', ...record });

test.each([
  ['a URL', issue({ description: 'See https://app.gong.io/call?id=1280824545574103773.' }), call(), 'mentions'],
  [
    'an attachment',
    issue({
      attachments: {
        nodes: [{ url: 'https://docs.google.com/document/d/1-SPUy3WkGnAMOgoD0TxFdvikDUNM_G1QV6EX8BAZAka/edit' }],
      },
    }),
    file(),
    'mentions',
  ],
  [
    'a URL without its title',
    file({ content: 'Done in (https://linear.app/fernhill/issue/MOB-5).' }),
    issue(),
    'mentions',
  ],
  ['the other direction', issue(), file({ content: 'https://linear.app/fernhill/issue/MOB-5' }), 'mentioned'],
  ['an identifier', call({ title: 'MOB-5: what is next' }), issue(), 'mentions'],
  ['a calendar event', call(), note({ calendar_event: { calendar_event_id: 'event' } }), 'event'],
  [
    'an email address',
    place('users', ['id', 'email'], { id: 'a', email: 'Mira@fernhill.example' }),
    place('people', ['id', 'emailAddress'], { id: 'b', emailAddress: 'mira@fernhill.example' }),
    'person',
  ],
])('%s proves a link', (_, one, other, kind) => {
  expect(proofOf(one, other)).toBe(kind);
});

test.each([
  ['an identifier of another workspace', file({ content: 'https://linear.app/other/issue/MOB-5' }), issue()],
  ['part of a word', file({ content: 'MOB-55, XMOB-5, MOB-5-b' }), issue()],
  ['a short number at another address', file({ content: 'https://example.com/MOB-5' }), issue()],
  ['no calendar event in both', call({ calendarEventId: null }), note({ calendar_event: null })],
  [
    'an identifier in an issue of another connector',
    {
      ...issue({ description: 'Like MOB-5', id: 'other', identifier: 'MOB-9', url: null }),
      connector: { id: 'second' } as Place['connector'],
    },
    issue(),
  ],
])('%s proves nothing', (_, one, other) => {
  expect(proofOf(one, other)).toBeUndefined();
});
