/** Where something is found. */
export interface Help {
  readonly text: string;
  /** The vendor's own page about it. */
  readonly url?: string | undefined;
}

const spent = 'From a sign-in to your application that was done before.';

const google: Readonly<Record<string, Help>> = {
  'oauth.client_id': {
    text: 'In the Google Cloud console under Google Auth Platform, Clients (before that: APIs & Services, Credentials): a client of the type Web application.',
    url: 'https://developers.google.com/identity/protocols/oauth2/web-server',
  },
  'oauth.client_secret': { text: 'Google shows it when the client is made, along with its id.' },
  'oauth.refresh_token': { text: spent },
  'service_account.credentials_json': {
    text: 'In the Google Cloud console under IAM & Admin, Service Accounts: choose the account, then Keys, Add key, Create new key, JSON. Open the file that is downloaded and paste all of it here.',
    url: 'https://cloud.google.com/iam/docs/keys-create-delete',
  },
  'service_account.subject': {
    text: 'Address of the user to act for; an administrator of the domain has to delegate the scope drive to the account first.',
    url: 'https://developers.google.com/identity/protocols/oauth2/service-account',
  },
  'access_token.access_token': {
    text: 'Good for one hour, for trying things out; the OAuth Playground gives one.',
    url: 'https://developers.google.com/oauthplayground/',
  },
};

const help: Readonly<Record<string, Readonly<Record<string, Help>>>> = {
  linear: {
    'api_key.api_key': {
      text: 'In Linear under Settings, Account, Security & access, Personal API keys. It begins with lin_api_; a key for some teams sees those teams alone.',
      url: 'https://linear.app/docs/api-and-webhooks',
    },
    'oauth.client_id': {
      text: 'An administrator makes an application in Linear under Settings, Administration, API, OAuth applications.',
      url: 'https://linear.app/developers/oauth-2-0-authentication',
    },
    'oauth.client_secret': { text: 'On the page of the same application.' },
    'oauth.refresh_token': { text: spent },
    'access_token.access_token': {
      text: 'From your own OAuth application; Linear ends it after a day.',
      url: 'https://linear.app/developers/oauth-2-0-authentication',
    },
  },
  gong: {
    'access_key.access_key': {
      text: 'A technical administrator gets it in Gong under Admin center, Settings, Ecosystem, API, Get API key.',
      url: 'https://help.gong.io/docs/receive-access-to-the-api',
    },
    'access_key.access_key_secret': { text: 'Gong shows it once, together with the access key.' },
    'oauth.client_id': {
      text: 'A technical administrator makes an integration in Gong under Admin center, Settings, Ecosystem, API, Integrations. Where it has trusted IPs, this service’s has to be among them.',
      url: 'https://help.gong.io/docs/create-an-app-for-gong',
    },
    'oauth.client_secret': { text: 'In the row of the same integration.' },
    'oauth.refresh_token': { text: 'From a sign-in to your integration that was done before; each can be used once.' },
  },
  granola: {
    'api_key.api_key': {
      text: 'In the desktop app of Granola under Settings, Connectors, API keys; it takes a Business or Enterprise plan. It begins with grn_. A key of the workspace sees public notes alone.',
      url: 'https://docs.granola.ai/introduction',
    },
  },
  'google-drive': google,
  'google-analytics': google,
};

/** Whether it is known where a credential is found. */
export const hasHelp = (type: string, mode: string, field: string): boolean =>
  help[type]?.[`${mode}.${field}`] !== undefined;

/** Where a credential is found; what the type's own description says, where nothing better is known. */
export function helpFor(type: string, mode: string, field: string, description: string): Help {
  return help[type]?.[`${mode}.${field}`] ?? { text: description };
}
