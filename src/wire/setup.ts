import * as z from 'zod';
import { identifier, instant, label, newLabel, replicationConfig, settings, typed } from './fields.js';

/** Body of a request to start a setup. */
export const NewSetupRequest = z
  .strictObject({
    workspace_name: label.describe('The workspace for the connector.'),
    name: newLabel.describe('The connector’s name, unique in the workspace.'),
    connector_type: identifier(200).optional().describe('Type name; if omitted, the user chooses.'),
    definition_id: identifier(200).optional().describe('Type id, as an alternative to the type name.'),
    replication_config: replicationConfig.optional().describe('Initial values on the selection page.'),
    settings: settings.optional().describe('Initial values on the selection page.'),
    console: z.boolean().optional().describe('Whether the page links back to the console; defaults to false.'),
  })
  .refine((body) => body.connector_type === undefined || body.definition_id === undefined, {
    error: 'only one of connector_type and definition_id is allowed',
  });

const anyAccount = z
  .boolean()
  .optional()
  .describe('Whether to allow credentials for a different account; defaults to false.');

/** Body of a request to start a setup for new credentials. */
export const RenewRequest = z.strictObject({ any_account: anyAccount });

/** A started setup. */
export const NewSetupResponse = z.object({
  setup_url: z.string().describe('The URL to open in a browser; single use.'),
  setup_id: z.string(),
  expires_at: instant,
});

/** A started setup. */
export interface NewSetup extends z.infer<typeof NewSetupResponse> {}

/** The status of a setup. */
export const SetupResponse = z.object({
  status: z.enum(['pending', 'unconfirmed', 'done', 'expired', 'failed', 'cancelled']),
  connector_id: z.string().optional().describe('The connector, once setup is complete.'),
  error: z.string().optional().describe('Why setup failed.'),
});

const webAddress = (pattern: RegExp, message: string, maxLength = 2000) =>
  z
    .string()
    .max(maxLength)
    .regex(pattern, { error: message, abort: true })
    .refine((text) => URL.canParse(text), message);
// Excludes anything that could end a directive of the page's security policy.
const logoPattern =
  /^(data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z\d+/=]+|https:\/\/[\w.-]+(:\d+)?\/[\w./~%-]*)$/;

/** Whether text is a color such as `#1d4ed8`. */
export const isColor = (text: string): boolean => /^#[\da-f]{6}$/i.test(text);

/** The product's branding, as shown to users. */
export const BrandRequest = z.strictObject({
  name: newLabel.describe('Product name.'),
  logo: webAddress(logoPattern, 'must be an https URL without a query, or an image data URL', 65_536)
    .optional()
    .describe('An https URL, or a data URL containing a PNG, JPEG, GIF, WebP or SVG image up to 48 KiB in size.'),
  color: z.string().refine(isColor, 'must be a color such as #1d4ed8').optional(),
  support_url: webAddress(/^https:\/\/[^\s"<>]+$/, 'must be an https URL').optional(),
});

/** Languages of the setup pages, with the default first. */
export const locales = ['en', 'de'] as const;

/** Maximum lifetime of a session URL, in milliseconds. */
const maxLifetimeMs = 86_400_000;

/** Body of a request to start a connect session. */
export const ConnectSessionRequest = z.strictObject({
  workspace_name: newLabel.describe('The workspace for the connector; created if missing.'),
  connector_type: identifier(200).optional().describe('Type name; omit it if connector_id is set.'),
  name: newLabel.optional().describe('The connector’s name; defaults to the type’s title.'),
  connector_id: identifier(100).optional().describe('An existing connector; only its credentials are replaced.'),
  any_account: anyAccount,
  return_url: identifier(2000).describe(
    'The URL that the browser returns to; its origin must be registered for the client.',
  ),
  state: z
    .string()
    .regex(/^[\x21-\x7e]{8,512}$/, 'must be 8 to 512 printable ASCII characters')
    .describe('A value that the product binds to its user’s session; returned with the result.'),
  methods: z
    .array(identifier(50))
    .min(1)
    .max(10)
    .optional()
    .describe('Credential modes to offer; defaults to the easiest.'),
  scopes: z
    .array(z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be an OAuth scope'))
    .min(1)
    .max(50)
    .optional(),
  replicate: z
    .union([z.boolean(), z.literal('ask'), replicationConfig])
    .optional()
    .describe(
      'What to replicate: everything (true, the default), nothing (false), the user’s selection (ask), or a replication_config.',
    ),
  settings: settings.optional(),
  brand: BrandRequest,
  // A newer service may have more languages.
  locale: typed<(typeof locales)[number], string>(z.enum(locales))
    .optional()
    .describe('Defaults to the browser’s language.'),
  user: label.optional().describe('The user’s username in the product, such as ada@example.com.'),
  expires_in: z
    .int()
    .min(60)
    .max(maxLifetimeMs / 1000)
    .optional()
    .describe('Seconds; defaults to 1800.'),
});

/** A started connect session. */
export const ConnectSessionResponse = z.object({
  url: z.string().describe('The URL to open in the user’s browser; single use.'),
  id: z.string().describe('Id of the session.'),
  nonce: z.string().describe('Returned with the result; store it in the user’s session.'),
  expires_at: instant.describe('When the URL expires; ISO 8601.'),
});

/** A started connect session. */
export interface ConnectSession extends z.infer<typeof ConnectSessionResponse> {}

/** The status of a connect session. */
export const ConnectSessionStateResponse = z.object({
  status: z
    .enum(['pending', 'unconfirmed', 'connected', 'cancelled', 'expired', 'failed'])
    .describe('Status of the session.'),
  connector_id: z.string().optional().describe('The connector, once it is connected.'),
  error: z.string().optional().describe('Why the session failed.'),
});

/** Status of a connect session. */
export interface ConnectSessionState extends z.infer<typeof ConnectSessionStateResponse> {}

/** Body of a request to confirm a connect session. */
export const ConfirmRequest = z.strictObject({
  signature: identifier(200).describe('The result’s signature, as returned in the user’s browser.'),
});
