import { people } from '../../company.js';
import { stories } from '../../company-stories.js';
import { Random } from '../../random.js';
import { startTimeOf } from '../../stories.js';
import type { VendorContext } from '../../vendor.js';
import { ownerPermission, serviceAccountUsers } from '../context.js';
import { types } from '../mime.js';
import { DriveWorld } from '../world.js';
import { Builder, owner } from './builder.js';
import { seedDiscussions } from './discussions.js';
import { seedMyDrive } from './my-drive.js';
import { seedOddities } from './oddities.js';
import { seedSharedDrives } from './shared-drives.js';
import { seedSharedWithMe } from './shared-with-me.js';

/** Builds the company's files, with dates relative to the sandbox's start. */
export function seedDrive({ seed, scale, start, driveFolder }: VendorContext): DriveWorld {
  const world = new DriveWorld();
  world.random = new Random(seed ^ 0xd217e);
  const builder = new Builder(world, start);
  for (const { key } of people) seedRoot(builder, key);
  if (!driveFolder) {
    seedMyDrive(builder, world.root(owner), scale);
    seedOddities(builder, world.root(owner));
  }
  seedSharedWithMe(builder);
  seedSharedDrives(builder);
  if (!driveFolder) seedDiscussions(builder);
  seedStories(builder, start);
  seedServiceAccounts(builder);
  // The feed lists the oldest change first.
  world.changes.sort((one, other) => (one.time < other.time ? -1 : 1));
  return world;
}

/** Gives each service account a drive, and the first one a file. */
function seedServiceAccounts(builder: Builder): void {
  const { world } = builder;
  for (const { key } of serviceAccountUsers) seedRoot(builder, key);
  const { key } = serviceAccountUsers[0]!;
  builder.text('nightly-report.csv', world.root(key), 'day,files\nMonday,12\nTuesday,9\n', {
    by: key,
    createdDaysAgo: 3,
  });
}

function seedRoot(builder: Builder, person: string): void {
  const { world } = builder;
  const id = `${world.newId(16, '0A')}PVA`;
  const made = builder.time(1400);
  world.roots.set(person, id);
  world.files.set(id, {
    id,
    name: 'My Drive',
    mimeType: types.folder,
    owner: person,
    createdTime: made,
    modifiedTime: made,
    modifiedBy: person,
    version: 1,
    starredBy: [],
    viewedBy: {},
    sharedWith: {},
    revisions: [],
    permissions: [ownerPermission(person)],
  });
}

const day = 86_400_000;

/** Documents mentioned in meetings: owned by their authors, readable by the product manager. */
function seedStories(builder: Builder, start: number): void {
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
