import { entityLabels } from './entities.js';

/** English texts for the setup pages; every other language has the same keys. */
export const en = {
  language: 'en',

  // For a product's users.
  goal: (product: string, title: string) => `${product} wants to access your ${title} data`,
  goalAgain: (product: string, title: string) => `${product} wants to access your ${title} data again`,
  forUser: (user: string) => `Requested for ${user}.`,
  canRead: (product: string, kinds: string) => `${product} can read: ${kinds}.`,
  /** Kinds of records, by entity. */
  entities: entityLabels('en'),
  canWrite: (product: string, kinds: string) => `${product} can create and edit: ${kinds}.`,
  isStored: 'Your credentials are stored encrypted and are never shown.',
  withdraw: (product: string, title: string) =>
    `You can disconnect in ${product} at any time, or revoke access in your ${title} settings.`,
  signInWith: (account: string) => `Sign in with ${account}`,
  methodNames: {
    api_key: 'Use an API key',
    access_key: 'Use an access key',
    access_token: 'Use an access token',
    service_account: 'Use a key file',
  } as Readonly<Record<string, string>>,
  otherMethod: 'Enter credentials',
  chooseIn: (account: string) => `Sign in with ${account} and choose files`,
  onlyChosen: 'Access is limited to the files that you choose in the next step.',
  instead: (method: string) => `${method} instead`,
  cancel: 'Cancel',
  help: 'Get help',
  back: (product: string) => `Back to ${product}`,
  goingBack: (product: string) => `Taking you back to ${product}`,
  oneMoreStep: 'One more step',
  continueTo: (product: string) => `Continue to ${product}`,
  notInPlaceYet: (product: string, title: string) =>
    `${product} checks that it was you who signed in to ${title} before it uses the account.`,
  cancelled: (title: string) => `${title} was not connected`,
  cancelledText: 'You cancelled. Nothing was shared.',
  closeAndReturn: (product: string) => `You can close this page and return to ${product}.`,
  otherAccount: (title: string, account: string | null) =>
    `This is a different ${title} account${account === null ? '' : ` (${account})`}. Use the previously connected account.`,
  sessionExpired: 'This link has expired. Nothing was connected.',
  sessionFailed: 'The connection failed.',

  // All pages.
  connect: (title: string) => `Connect ${title}`,
  reconnect: (title: string) => `Reconnect ${title}`,
  pleaseCheck: (title: string) => `Please check: ${title}`,
  problem: 'There is a problem',
  checkField: (label: string) => `Check your ${label}`,
  optional: (label: string) => `${label} (optional)`,
  summary: ['For the connector ', ' in the workspace ', ' of ', '.'],
  ifNothingHappens: 'If nothing happens, ',

  // Choosing a type.
  whatToConnect: 'What would you like to connect?',
  chooseOne: 'Choose one of these.',
  chooseOther: 'Choose a different service',

  // Credentials.
  handling: (title: string) =>
    `Your credentials are sent to ${title} to test them, then stored encrypted. They are never shown again.`,
  signInWithOwn: (account: string, application: string) => `Sign in with ${account}, using your own ${application}`,
  oauthApplication: 'OAuth application',
  refreshToken: (label: string) => `${label} with an existing refresh token`,
  vendorHelp: (title: string) => `${title} documentation (new tab)`,
  kept: (text: string) => `Saved from your last attempt: leave empty to use it again. ${text}`,
  agreeThere: (title: string) => `You will go to ${title} to grant access, then return here.`,
  registerAddress: 'Add this exact redirect URI to your OAuth application: ',
  goingOn: (title: string) => `Redirecting to ${title}`,
  goOnLink: (title: string) => `continue to ${title}`,
  tryAndConnect: 'Test and connect',
  isNeeded: (label: string) => `${label} is required.`,
  invalidField: (message: string) => `This ${message}.`,
  tokenReplaced: (error: string, title: string) =>
    `${error} ${title} has replaced the refresh token, and the new one is stored: leave the secrets empty to try again.`,
  /** What the vendor rejected, by mode. */
  rejectedSecrets: {
    api_key: 'this key',
    access_key: 'this access key or its secret',
    access_token: 'this token',
    service_account: 'this key file',
  } as Readonly<Record<string, string>>,
  theseCredentials: 'these credentials',
  rejected: (title: string, secret: string) =>
    `${title} didn’t accept ${secret}. Check that everything was copied in full and is still valid in ${title}.`,
  accessDenied: (title: string) => `Access was denied on the ${title} page.`,
  vendorAnswered: (title: string, detail: string) => `${title} returned an error: ${detail}`,

  // Choices.
  answersTitle: (title: string) => `Choose what to sync from ${title}`,
  answers: (title: string) => `Choose what to sync from ${title}`,
  credentialsWork: 'Connected.',
  connectedAs: 'Connected as ',
  otherCredentials: 'Use different credentials',
  others: {
    property_ids: 'Other property IDs',
    folder_url: 'Another folder, by URL',
  } as Readonly<Record<string, string>>,
  somethingElse: 'Something else',
  chooseFiles: 'Choose files',
  chosenFiles: 'Chosen files',
  noFiles: 'No files have been chosen yet.',
  chooseOneFile: 'Choose at least one file.',
  notReadable: (count: number) => `${count} of the chosen items cannot be read and were left out.`,
  needsScript: 'Choosing files needs JavaScript, which this browser does not run.',
  chooseSome: 'Required: choose at least one.',
  scroll: (count: number) => `${count} entries. Scroll to see all of them.`,
  noList: 'The list could not be loaded.',
  cannotBeRead: 'Cannot currently be read:',
  keptSearchable: 'Searchable records',
  howOften: 'Sync interval',
  intervals: {
    '5m': 'Every 5 minutes',
    '15m': 'Every 15 minutes',
    '30m': 'Every 30 minutes',
    '1h': 'Every hour',
    '6h': 'Every 6 hours',
    '1d': 'Once a day',
  } as Readonly<Record<string, string>>,
  choices: 'Choices',
  tickOne: 'Select at least one type of record.',
  invalidPick: (message: string) => `Your choice ${message}.`,

  // Outcomes.
  isConnected: (title: string) => `${title} is connected`,
  works: 'The connector works, and its credentials are stored encrypted.',
  copying: 'Its records are now being synced for search. This can take a while.',
  closePage: 'You can close this page. This link cannot be used again.',
  doneAlready: 'Setup is already complete',
  wasConnected: (name: string) => `The connector ${name} was connected through this single-use link.`,
  nothingMore: 'You can close this page.',
  expired: 'This link has expired',
  expiredText: 'It was valid for 30 minutes. Nothing was connected.',
  ended: 'This setup has ended',
  failed: 'Setup failed.',
  newAddress: 'Ask the person who sent you this link for a new one, or rerun the command that printed it.',
  unknown: 'This link does not work',
  unknownText: 'This link has expired or has already been used. Ask the person who sent it for a new one.',
  invalidSignIn: 'This sign-in is no longer valid',
  invalidSignInText: 'It has already been used, took longer than 10 minutes, or was started in another browser.',
  openAgain: 'Open the setup link again in the browser that you want to sign in with, and start over.',

  // Rejected requests.
  fromElsewhere: 'This form was sent from another site',
  openItself: 'Open the setup link and continue there.',
  forBrowsers: 'Open this page in a browser',
  takes: (methods: string) => `Allowed methods: ${methods}.`,
  notTaken: 'The form was not accepted',
  notOurForm: 'The request did not come from the form on this page.',
  tooManyFields: 'The submitted form contains fields that are not on this page.',
  tooLarge: 'The form is larger than 64 KB. Key files are never that large.',
  incomplete: 'The form was truncated.',
  wentWrong: 'Something went wrong',
  serviceFailed: 'The service encountered an error. Try again in a moment. Nothing you entered was stored.',
  logSays: (requestId: string) => `Request id in the service log: ${requestId}.`,
};

export type Texts = typeof en;
