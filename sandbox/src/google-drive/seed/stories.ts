import { stories } from '../../company-stories.js';
import { startTimeOf } from '../../stories.js';
import { type Builder, owner } from './builder.js';

const day = 86_400_000;

/** Documents mentioned in meetings: owned by their authors, readable by the product manager. */
export function seedStories(builder: Builder, start: number): void {
  for (const story of stories) {
    const { document } = story;
    if (!document) continue;
    const { title, author, text } = document;
    // Written a few days before the meeting.
    const made = (start - startTimeOf(story, start)) / day + 5;
    const file = builder.document(title, builder.world.root(author), text, {
      by: author,
      createdDaysAgo: made,
      modifiedDaysAgo: made - 3,
    });
    if (author !== owner) builder.share(file, owner, 'commenter', made - 1);
  }
}
