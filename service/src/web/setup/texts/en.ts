/** The texts of the setup pages in English; every other language has the same ones. */
export const en = {
  language: 'en',

  // What product users see.
  goal: (product: string, title: string) => `${product} would like to use your ${title} data`,
  forUser: (user: string) => `For ${user}.`,
  canRead: (product: string, kinds: string) => `${product} can read: ${kinds}.`,
  canWrite: (product: string) => `${product} can also create and change these for you.`,
  isStored: 'Your access is stored encrypted and is never shown.',
  withdraw: (product: string, title: string) =>
    `You can disconnect in ${product} at any time, or remove the access in the settings of your ${title} account.`,
  signInWith: (account: string) => `Sign in with ${account}`,
  methodNames: {
    api_key: 'Use an API key',
    access_key: 'Use an access key',
    access_token: 'Use an access token',
    service_account: 'Use a key file',
  } as Readonly<Record<string, string>>,
  otherMethod: 'Enter your access data',
  cancel: 'Cancel',
  help: 'Get help',
  back: (product: string) => `Back to ${product}`,
  goingBack: (product: string) => `Taking you back to ${product}`,
  cancelled: (title: string) => `${title} was not connected`,
  otherAccount: (title: string) => `This is another ${title} account than before. Sign in with the same one.`,
  sessionExpired: 'This link has expired. Nothing was connected.',
  sessionFailed: 'This could not be connected.',

  // All pages.
  connect: (title: string) => `Connect ${title}`,
  pleaseCheck: (title: string) => `Please check: ${title}`,
  problem: 'That did not work yet',
  optional: (label: string) => `${label} (optional)`,
  summary: ['For the connector ', ' in the workspace ', ' of ', '.'],
  ifNothingHappens: 'If nothing happens, ',

  // Choosing a type.
  whatToConnect: 'What would you like to connect?',
  chooseOne: 'Choose one of these.',
  chooseOther: 'Choose something else',

  // Credentials.
  handling: (title: string) =>
    `What you give here is sent to ${title} to try it, then stored encrypted. It is never shown again.`,
  signIn: (title: string) => `Sign in to ${title}`,
  signInWithOwn: (title: string, application: string) => `Sign in to ${title} with your own ${application}`,
  oauthApplication: 'OAuth application',
  refreshToken: (label: string) => `${label} with a refresh token you have`,
  vendorHelp: (title: string) => `What ${title} says of it (new tab)`,
  kept: (text: string) => `Kept from your last try: leave it empty to use that. ${text}`,
  agreeThere: (title: string) => `You go on to a page of ${title}, agree there, and come back.`,
  registerAddress: 'Register this address with the application, letter by letter: ',
  goOn: (title: string) => `Go on to ${title}`,
  goingOn: (title: string) => `Going on to ${title}`,
  goOnLink: (title: string) => `go on to ${title}`,
  tryAndConnect: 'Try and connect',
  isNeeded: (label: string) => `${label} is needed.`,
  invalidField: (message: string) => `This ${message}.`,
  tokenReplaced: (error: string, title: string) =>
    `${error} ${title} has replaced the refresh token meanwhile, and the new one is kept: leave the secrets empty to try again.`,
  accessDenied: (title: string) => `Access was not allowed on the page of ${title}.`,
  vendorAnswered: (title: string, detail: string) => `The page of ${title} answered: ${detail}`,

  // Choices.
  answersTitle: (title: string) => `${title} answers: choose what to keep`,
  answers: (title: string) => `${title} answers`,
  credentialsWork: 'The credentials work.',
  connectedAs: 'Connected as ',
  otherCredentials: 'Use other credentials',
  somethingElse: 'Something else',
  noList: 'The list could not be had.',
  cannotBeRead: 'Cannot be read now:',
  keptSearchable: (title: string) => `What of ${title} is kept searchable`,
  howOften: 'How often it is brought up to date',
  intervals: {
    '15m': 'Every 15 minutes',
    '1h': 'Every hour',
    '6h': 'Every 6 hours',
    '1d': 'Once a day',
  } as Readonly<Record<string, string>>,
  choices: 'Choices',
  tickOne: 'Tick at least one kind of record.',
  invalidPick: (message: string) => `What you gave here ${message}.`,

  // Ends.
  isConnected: (title: string) => `${title} is connected`,
  works: 'The connector works, and its credentials are stored encrypted.',
  copying: 'Its records are being copied now, so that they can be searched; that may take a while.',
  closePage: 'You can close this page. Its address cannot be used again.',
  doneAlready: 'This is done already',
  wasConnected: (name: string) => `The connector ${name} has been connected with this address, which can be used once.`,
  nothingMore: 'There is nothing more to do: you can close this page.',
  expired: 'This address has expired',
  expiredText: 'It was good for 30 minutes. Nothing was connected.',
  ended: 'This setup has ended',
  failed: 'It failed.',
  newAddress: 'Ask whoever sent you this address for a new one, or run the command again that gave it to you.',
  unknown: 'There is nothing at this address',
  unknownText: 'Look whether all of the address was copied; it may also have been used up some time ago.',
  invalidSignIn: 'This sign-in cannot be used',
  invalidSignInText: 'It was answered before, took longer than 10 minutes, or was begun in another browser.',
  openAgain:
    'Open the address of the setup again, in the browser in which you want to sign in, and begin there once more.',

  // Requests that are refused.
  fromElsewhere: 'This form came from elsewhere',
  openItself: 'Open the address of the setup itself, and go on there.',
  forBrowsers: 'This address is for a browser',
  takes: (methods: string) => `It takes ${methods}.`,
  notTaken: 'That was not taken',
  notOurForm: 'What arrived is not a form of this page.',
  tooManyFields: 'The form holds more than this page has.',
  tooLarge: 'The form is larger than 64 KB, which is more than any key file.',
  incomplete: 'The form did not arrive whole.',
  wentWrong: 'Something went wrong',
  serviceFailed: 'The service failed. Try again in a moment; nothing that you typed was kept.',
  logSays: (requestId: string) => `Its log says more under ${requestId}.`,
};

/** Every text of the setup pages. */
export type Texts = typeof en;
