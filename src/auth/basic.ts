import * as z from 'zod';
import { baseUrl, customerApi } from './customer.js';
import { type AuthScheme, plain, scheme, secret } from './scheme.js';

/** Names of the two fields of a key pair, what they are, and how the customer's own address is given. */
export interface KeyPair<User extends string, Password extends string> {
  readonly user: readonly [name: User, description: string];
  readonly password: readonly [name: Password, description: string];
  /** What `base_url` is, and the end of it that paths of requests begin with anyway. */
  readonly baseUrl: { readonly description: string; readonly suffix: string };
}

/** A key and its secret as HTTP Basic. */
export const keyPair = <User extends string, Password extends string>(
  description: string,
  { user, password, baseUrl: base }: KeyPair<User, Password>,
): AuthScheme<
  { [K in User | Password]: string } & {
    /** The company’s own address. */
    base_url?: string;
  }
> =>
  scheme({
    description,
    fields: z.strictObject({
      // Basic ends the name at its first colon.
      [user[0]]: plain(user[1])
        .refine((name) => !name.includes(':'), 'holds a colon')
        .meta({ secret: false, description: user[1] }),
      [password[0]]: secret(password[1]),
      base_url: z.optional(baseUrl(base.description)).meta({ secret: false, description: base.description }),
    }),
    open: (credentials, context) => {
      const { [user[0]]: name, [password[0]]: key, base_url } = credentials as Record<string, string | undefined>;
      const token = btoa(`${name}:${key}`);
      const headers = { authorization: `Basic ${token}` };
      const api = base_url === undefined ? undefined : customerApi(base_url, base.suffix, context);
      return { headers: () => headers, api: () => api, secrets: () => [key!, `${name}:${key}`, token] };
    },
  }) as AuthScheme;
