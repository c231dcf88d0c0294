declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** An OpenID Connect provider; only what the tests use. */
  // biome-ignore lint/style/noDefaultExport: that is what the package has
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
