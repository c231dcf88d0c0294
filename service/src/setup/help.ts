/** Where something is found. */
export interface Help {
  readonly text: string;
  /** The vendor's own page about it, or the place itself. */
  readonly url?: string | undefined;
}

const google: Readonly<Record<string, Help>> = {
  // developers.google.com/identity/protocols/oauth2/web-server
  'oauth.client_id': {
    text: 'In the Google Cloud console under APIs & Services, Credentials: an OAuth client ID of the type Web application.',
    url: 'https://console.cloud.google.com/apis/credentials',
  },
  'oauth.client_secret': { text: 'On the page of the same OAuth client, next to its id.' },
  'oauth.refresh_token': { text: 'From a sign-in to your application that was done before.' },
  // cloud.google.com/iam/docs/keys-create-delete
  'service_account.credentials_json': {
    text: 'In the Google Cloud console under IAM & Admin, Service Accounts: choose the account, then Keys, Add key, JSON. Open the file that is downloaded and paste all of it here.',
    url: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  },
  // developers.google.com/oauthplayground
  'access_token.access_token': {
    text: 'Good for one hour, for trying things out; the OAuth Playground gives one.',
    url: 'https://developers.google.com/oauthplayground/',
  },
};

const help: Readonly<Record<string, Readonly<Record<string, Help>>>> = {
  linear: {
    // linear.app/developers
    'api_key.api_key': {
      text: 'In Linear under Settings, Security & access, Personal API keys. It begins with lin_api_.',
      url: 'https://linear.app/settings/account/security',
    },
    'oauth.client_id': {
      text: 'In Linear under Settings, API, OAuth applications: make an application, or open yours.',
      url: 'https://linear.app/settings/api',
    },
    'oauth.client_secret': { text: 'On the page of the same application.' },
    'oauth.refresh_token': { text: 'From a sign-in to your application that was done before.' },
    'access_token.access_token': { text: 'From your own OAuth application; Linear ends it after a day.' },
  },
  gong: {
    // help.gong.io: Receive access to the API; Create an app for Gong
    'access_key.access_key': {
      text: 'A technical administrator makes it in Gong under Admin center, Settings, Ecosystem, API, Create access key.',
      url: 'https://app.gong.io/company/api',
    },
    'access_key.access_key_secret': { text: 'Gong shows it once, together with the access key.' },
    'oauth.client_id': {
      text: 'A technical administrator makes an integration in Gong under Admin center, Settings, Ecosystem, API, Integrations.',
      url: 'https://app.gong.io/company/api',
    },
    'oauth.client_secret': { text: 'Gong shows it with the client id of the integration.' },
    'oauth.refresh_token': { text: 'From a sign-in to your integration that was done before; each can be used once.' },
  },
  granola: {
    // docs.granola.ai
    'api_key.api_key': {
      text: 'In the desktop app of Granola under Settings, Connectors, API keys; it takes a Business or Enterprise plan. It begins with grn_.',
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
