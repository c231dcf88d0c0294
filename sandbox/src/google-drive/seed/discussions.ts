import { customers } from '../../company.js';
import { types } from '../mime.js';
import type { CommentRow, ReplyRow } from '../rows.js';
import { type Builder, owner } from './builder.js';

/** Comments on files. */
export function seedDiscussions(builder: Builder): void {
  const files = [...builder.world.files.values()];
  const specs = files.filter(({ mimeType, name }) => mimeType === types.document && name !== 'Agenda').slice(0, 12);
  for (const [index, file] of specs.entries()) {
    const quoted = file.document?.text.split('\n').find((line) => line.length > 20) ?? file.name;
    const comment = builder.comment(file, 'tomas.aguirre', `Is this still what ${customers[index % 8]} wants?`, {
      ago: 20 - index,
      quoted,
      anchor: `kix.${index}abc`,
      mentioned: index === 2 ? ['ines.carvalho'] : [],
    });
    if (index % 2 === 0) addReply(builder, comment, owner, 'Yes, they said so <again> on Tuesday.', 19 - index);
    if (index % 4 === 0) addReply(builder, comment, 'tomas.aguirre', 'Then it is settled.', 18 - index, 'resolve');
  }
  const [first, second] = specs;
  if (!first || !second) return;
  for (let index = 0; index < 24; index += 1) {
    builder.comment(first, index % 2 ? owner : 'elliot.park', `Remark ${index + 1}`, { ago: 15 - index / 4 });
  }
  builder.comment(second, owner, 'A remark that nobody should see any more', { ago: 9, deleted: true });
  const talk = builder.comment(
    second,
    'noemie.laurent',
    'Please look at the wording, +ines.carvalho@fernhill.example',
    {
      ago: 8,
      assignee: owner,
      mentioned: [owner],
    },
  );
  for (let index = 0; index < 23; index += 1) addReply(builder, talk, owner, `Wording ${index + 1}`, 7 - index / 8);
  talk.replies[3]!.deleted = true;
  Object.assign(talk.replies[0]!, { assignee: owner, mentioned: [owner] });
  const picture = files.find(({ name }) => name === 'screen-login.png');
  if (picture) builder.comment(picture, 'elliot.park', 'The button should be green.', { ago: 3 });
}

function addReply(
  builder: Builder,
  comment: CommentRow,
  author: string,
  content: string,
  ago: number,
  action?: ReplyRow['action'],
): void {
  const time = builder.time(ago);
  const id = `AAAA${builder.world.newId(8, 'R')}`;
  comment.replies.push({ id, author, content, createdTime: time, modifiedTime: time, ...(action && { action }) });
  comment.modifiedTime = time;
}
