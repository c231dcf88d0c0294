/** What a program needs; the test sets it. */
export const settings = JSON.parse(process.env.SETTINGS!) as {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly connectorId: string;
};

/** Prints what a program received. */
export const report = (received: {
  readonly count: number | undefined;
  readonly message: string | undefined;
  readonly cursor: string | null | undefined;
}) => console.log(JSON.stringify(received));
