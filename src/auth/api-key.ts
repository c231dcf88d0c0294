import * as z from 'zod';
import { scheme, secret } from './scheme.js';

/** A key in the `Authorization` header: by itself, or as a bearer token. */
export const apiKey = (description: string, style: 'plain' | 'bearer') =>
  scheme({
    description,
    fields: z.strictObject({ api_key: secret(description) }),
    open: ({ api_key }) => {
      // People paste the whole header; the mode alone decides on the prefix.
      const key = api_key.replace(/^bearer +/i, '');
      const headers = { authorization: style === 'bearer' ? `Bearer ${key}` : key };
      return { headers: () => headers, secrets: () => [key] };
    },
  });
