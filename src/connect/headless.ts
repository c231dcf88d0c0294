/** A connect session, as passed from the product's server. */
export interface ConnectPage {
  /** URL of the session. */
  readonly url: string;
  /** Nonce of the session. */
  readonly nonce: string;
}

/** The result the browser returned with. Only the product's server can verify it. */
export interface ConnectReturn {
  /** `connected`, `unconfirmed`, `cancelled`, `expired` or `failed`. */
  readonly status: string;
  /** The URL with the signed result: send it to the server, which passes it to `verifyConnectResult`. */
  readonly address: string;
}

/** An input of a credential form. */
export interface ConnectField {
  /** Name under which the value is submitted. */
  readonly name: string;
  /** The input's label. */
  readonly label: string;
  /** Where the user gets the value. */
  readonly hint: string;
  /** The vendor's page about it. */
  readonly help_url?: string | undefined;
  /** Whether to hide what is typed. */
  readonly secret: boolean;
  /** Whether a value is needed. */
  readonly required: boolean;
  /** Whether the value has several lines, such as a key file. */
  readonly multiline: boolean;
}

/** A way to connect the account. */
export interface ConnectMethod {
  /** Name of the credential mode, such as `api_key`. */
  readonly mode: string;
  /** `fields` if the credentials are entered; `consent` if the user signs in at the vendor, on the page of the session. */
  readonly kind: 'fields' | 'consent';
  /** The button's label. */
  readonly label: string;
  /** The form's inputs; empty for `consent`. */
  readonly fields: readonly ConnectField[];
}

/** What to correct in a submitted form. */
export interface ConnectFormError {
  /** Name of the field; undefined if no field is at fault. */
  readonly field?: string | undefined;
  /** What is wrong, for the user. */
  readonly message: string;
}

/** A form with errors; the session continues. */
export interface InvalidConnectForm {
  /** Distinguishes it from a result. */
  readonly status: 'invalid';
  /** What to correct. */
  readonly errors: readonly ConnectFormError[];
}

/** The outcome of a submitted form: the session's result, or what to correct. */
export type SubmitResult = ConnectReturn | InvalidConnectForm;

/** A session's form, shown by the product itself. */
export interface ConnectForm {
  /** Connector type, such as `granola`. */
  readonly type: string;
  /** Name of the vendor's product. */
  readonly title: string;
  /** Ways to connect, simplest first. */
  readonly methods: readonly ConnectMethod[];
  /** Sends the entered values to the service, which tests them with the vendor. */
  submit(mode: string, values: Readonly<Record<string, string>>): Promise<SubmitResult>;
  /** Ends the session. */
  cancel(): Promise<SubmitResult>;
}

/**
 * Loads the form of a connect session, so that the product can show it in its own design. Credentials go from the
 * browser to the service; methods of the kind `consent` are opened with `openConnect`. Requests are accepted only from
 * the origin of the session's return URL.
 *
 * @throws an `Error` if the session has ended, asks what to replicate, or belongs to another origin.
 */
export async function connectForm(session: ConnectPage | Promise<ConnectPage>): Promise<ConnectForm> {
  const address = `${(await session).url}/form`;
  const send = async (body?: URLSearchParams) => {
    const method = body ? 'POST' : 'GET';
    const response = await fetch(address, { method, body: body ?? null, credentials: 'omit', redirect: 'error' });
    const json = await response.json();
    if (!response.ok && response.status !== 422) throw new Error(json.message);
    return json;
  };
  const { type, title, methods } = await send();
  return {
    type,
    title,
    methods,
    submit: (mode, values) => send(new URLSearchParams({ ...values, step: 'credentials', mode })),
    cancel: () => send(new URLSearchParams({ step: 'cancel' })),
  };
}
