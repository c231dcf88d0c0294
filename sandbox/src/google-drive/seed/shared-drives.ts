import { customers } from '../../company.js';
import { permissionIdOf, personForKey, serviceAccountUsers } from '../context.js';
import { pdfOf } from '../formats/pdf.js';
import { types } from '../mime.js';
import type { PermissionRow, Role } from '../rows.js';
import type { Builder } from './builder.js';
import { capitalised, requirements, topic } from './texts.js';

/** The shared drives: one with organizer access, one with writer access, and one limited to management. */
export function seedSharedDrives(builder: Builder): void {
  const product = seedDrive(builder, 'Product & Design', 'pine', [
    ['ines.carvalho', 'organizer'],
    ['tomas.aguirre', 'fileOrganizer'],
    ['elliot.park', 'writer'],
    ['noemie.laurent', 'writer'],
    ['rahul.mehta', 'reader'],
  ]);
  const research = builder.folder('Research', product, { createdDaysAgo: 150 });
  for (const [index, customer] of customers.entries()) {
    builder.document(`Interview ${customer}`, research, requirements(index + 2), { createdDaysAgo: 140 - index * 6 });
  }
  builder.sheet('Interview index', research, `Customer\n${customers.map((name) => `"${name}"`).join('\n')}`, {
    createdDaysAgo: 139,
  });
  builder.binary('Brand guide.pdf', product, pdfOf(['Brand guide', 'The leaf is always green.']), {
    by: 'elliot.park',
    createdDaysAgo: 320,
    revisionCount: 2,
  });
  const engineering = seedDrive(builder, 'Engineering', 'ocean', [
    ['tomas.aguirre', 'organizer'],
    ['ines.carvalho', 'writer'],
    ['priya.raman', 'organizer'],
    [serviceAccountUsers[0]!.key, 'reader'],
  ]);
  const runbooks = builder.folder('Runbooks', engineering, { by: 'tomas.aguirre', createdDaysAgo: 600 });
  for (let index = 0; index < 8; index += 1) {
    const text = `# Runbook: ${topic(index)}\n\n1. Look at the dashboard\n2. Call the person on duty`;
    builder.text(`${topic(index).replaceAll(' ', '-')}.md`, runbooks, text, {
      by: 'marek.dvorak',
      createdDaysAgo: 500 - index * 20,
    });
  }
  builder.file('Architecture review', types.presentation, engineering, {
    by: 'priya.raman',
    createdDaysAgo: 77,
    text: `# Review\n\n${capitalised(topic(1))}\n---\n# Decision\n\nKeep it simple`,
  });
  const leadership = seedDrive(builder, 'Leadership', 'ink', [['maren.holt', 'organizer']]);
  builder.document('Strategy', leadership, '# Strategy\n\nGrow slowly.', { by: 'maren.holt', createdDaysAgo: 90 });
}

const colors: Readonly<Record<string, string>> = { pine: '#0b8043', ocean: '#039be5', ink: '#3f51b5' };

function seedDrive(builder: Builder, name: string, themeId: string, members: readonly [string, Role][]): string {
  const { world } = builder;
  const id = `${world.newId(16, '0A')}PVA`;
  const createdTime = builder.time(700);
  world.drives.set(id, {
    id,
    name,
    createdTime,
    themeId,
    colorRgb: colors[themeId]!,
    hiddenFor: [],
    orgUnitId: '03ph8a2z1k5x',
    members: members.map(([key, role]) => memberOf(key, role)),
    restrictions: {
      adminManagedRestrictions: false,
      copyRequiresWriterPermission: false,
      domainUsersOnly: name === 'Leadership',
      driveMembersOnly: false,
      sharingFoldersRequiresOrganizerPermission: false,
    },
  });
  const by = members[0]![0];
  world.files.set(id, {
    id,
    name,
    mimeType: types.folder,
    driveId: id,
    createdTime,
    modifiedTime: createdTime,
    modifiedBy: by,
    version: 1,
    starredBy: [],
    viewedBy: {},
    sharedWith: {},
    permissions: [],
    revisions: [],
  });
  world.changes.push({ time: createdTime, driveId: id });
  return id;
}

function memberOf(key: string, role: Role): PermissionRow {
  const { email: emailAddress, name: displayName } = personForKey(key);
  return { id: permissionIdOf(emailAddress), type: 'user', role, emailAddress, displayName };
}
