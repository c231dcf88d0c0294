import { administration } from './administration.js';
import { connectors } from './connectors.js';

/** The console's English text. Every other language has its own folder with the same keys. */
export const en = {
  language: 'en',
  yes: 'Yes',
  no: 'No',
  never: 'never',
  action: 'Action',
  by: 'By',
  duration: 'Duration',
  reason: 'Reason',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select it and copy',
  required: '(required)',
  tryAgain: 'Try again',
  console: 'Console',
  organization: 'Organization',
  skip: 'Skip to content',
  signOut: 'Sign out',
  access: 'Access',
  notFound: 'Page not found',
  loading: 'Loading …',
  justNow: 'just now',
  inAMoment: 'in a moment',
  pager: ['Newer', 'Older'] as const,
  answered: (status: number) => `The service responded with status ${status}.`,
  unreachable: 'The service cannot be reached. Check that it is running, and try again.',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved.',
  needsScope: (scope: string) => `Your client does not have the ${scope} scope, so you cannot change anything here.`,

  // Sign-in.
  signIn: {
    title: 'Sign in',
    id: 'Client ID',
    secret: 'Client secret',
    expired: 'Your session has expired. Sign in again.',
    provider: 'Sign in with your identity provider',
    reasons: {
      expired: 'The sign-in took too long or was started in another browser. Sign in again.',
      failed: 'Your identity provider did not confirm the sign-in. Sign in again, or ask the operator.',
      forbidden: 'You are in no group that may use this console. Ask the operator.',
    },
    secretHelp: 'Printed on first start or by create-client.',
    link: 'No client secret? Start the service with `--print-login-link` and open the single-use link it prints.',
  },
  ...connectors,
  ...administration,
};
