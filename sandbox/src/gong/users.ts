import { type GongContext, listBody } from './context.js';
import { apiErrors } from './errors.js';
import type { UserRow } from './rows.js';
import { formatTimestamp } from './timestamps.js';

/** GET /v2/users */
export function listUsers(context: GongContext): object {
  const { world, search } = context;
  const listing = { rows: world.users, keyOf: ({ id }: UserRow) => id };
  return listBody(context, 'users', listing, (user) => userView(user, world.users), search.get('cursor'));
}

/** GET /v2/users/{id} */
export function getUser({ world, pathParameters }: GongContext): object {
  const user = world.users.find(({ id }) => id === pathParameters[0]);
  if (!user) throw apiErrors.notFound('User', pathParameters[0]!);
  return { user: userView(user, world.users) };
}

function userView(user: UserRow, users: readonly UserRow[]) {
  const [firstName = '', ...others] = user.name.split(' ');
  const isRecorded = user.managerKey !== null;
  const isOffice = user.key === 'hannah.kessler';
  return {
    id: user.id,
    emailAddress: user.email,
    created: formatTimestamp(user.created, 3),
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
