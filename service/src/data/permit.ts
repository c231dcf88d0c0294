/**
 * Leave to read the data of one connector, or to change it at the vendor.
 *
 * The gate alone issues it, once a policy has allowed the call and the audit log knows of it.
 */
export class Permit {
  readonly #connectorId: string;

  constructor(connectorId: string) {
    this.#connectorId = connectorId;
  }

  /** Throws unless this is a permit for the connector. */
  static check(permit: Permit, connectorId: string): void {
    if (!(#connectorId in permit) || permit.#connectorId !== connectorId)
      throw new Error('The data of a connector was asked for without a permit for it.');
  }
}
