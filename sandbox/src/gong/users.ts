import { momentText } from './moments.js';
import { listed, type Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { UserRow } from './rows.js';

/** GET /v2/users */
export function listUsers(reading: Reading): object {
  const { world, search } = reading;
  const listing = { rows: world.users, keyOf: ({ id }: UserRow) => id };
  return listed(reading, 'users', listing, (user) => userView(user, world.users), search.get('cursor'));
}

/** GET /v2/users/{id} */
export function getUser({ world, parts }: Reading): object {
  const user = world.users.find(({ id }) => id === parts[0]);
  if (!user) throw refusals.notFound('User', parts[0]!);
  return { user: userView(user, world.users) };
}

function userView(user: UserRow, users: readonly UserRow[]) {
  const [firstName = '', ...others] = user.name.split(' ');
  const isRecorded = user.managerKey !== null;
  const isOffice = user.key === 'hannah.kessler';
  return {
    id: user.id,
    emailAddress: user.email,
    created: momentText(user.created, 3),
    active: user.active,
    emailAliases: user.key === 'dana.whitfield' ? [`dana@${user.email.split('@')[1]}`] : [],
    trustedEmailAddress: isOffice ? user.email : null,
    firstName,
    lastName: others.join(' '),
    title: user.title,
    phoneNumber: user.phone,
    extension: isOffice ? '205' : null,
    personalMeetingUrls: isRecorded ? [`https://meet.fernhill.example/${user.key}`] : [],
    settings: {
      webConferencesRecorded: isRecorded,
      preventWebConferenceRecording: false,
      telephonyCallsImported: user.phone !== null,
      emailsImported: true,
      preventEmailImport: false,
      nonRecordedMeetingsImported: true,
      gongConnectEnabled: user.managerKey === 'dana.whitfield',
    },
    managerId: users.find(({ key }) => key === user.managerKey)?.id ?? null,
    meetingConsentPageUrl: isOffice ? `https://meet.fernhill.example/consent/${user.key}` : null,
    conferencingProviders: isRecorded ? [{ provider: 'Zoom', isDefault: true }] : null,
    spokenLanguages: [
      { language: user.language, primary: true },
      ...(user.language === 'en-US' ? [] : [{ language: 'en-US', primary: false }]),
    ],
  };
}
