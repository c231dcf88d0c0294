import * as z from 'zod';
import { bare, scheme, secret } from './scheme.js';

/** An access token that the caller had elsewhere and renews there. */
export const accessToken = (description: string) =>
  scheme({
    description,
    fields: z.strictObject({
      /** Access token. */
      access_token: secret(description),
    }),
    open: ({ access_token }) => {
      const token = bare(access_token);
      const headers = { authorization: `Bearer ${token}` };
      return { headers: () => headers, secrets: () => [token] };
    },
  });
