import * as z from 'zod';
import { bare, scheme, secret } from './scheme.js';

/** A key in the `Authorization` header: by itself, or as a bearer token. */
export const apiKey = (description: string, style: 'plain' | 'bearer') =>
  scheme({
    description,
    fields: z.strictObject({
      /** API key. */
      api_key: secret(description),
    }),
    open: ({ api_key }) => {
      const key = bare(api_key);
      const headers = { authorization: style === 'bearer' ? `Bearer ${key}` : key };
      return { headers: () => headers, secrets: () => [key] };
    },
  });
