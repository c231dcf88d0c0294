import pino from 'pino';

/** A logger; pino loggers are compatible. */
export interface Logger {
  /** Details for debugging. */
  debug(fields: object, message: string): void;
  /** Normal operation. */
  info(fields: object, message: string): void;
  /** Something an operator should look into. */
  warn(fields: object, message: string): void;
  /** A failure. */
  error(fields: object, message: string): void;
}

/** From most to least verbose. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** How to log. */
export interface LogOptions {
  readonly level?: LogLevel | undefined;
  /** Receives each line; standard output by default. */
  readonly destination?: { write(line: string): unknown } | undefined;
  /** Human-readable lines instead of JSON. */
  readonly readable?: boolean | undefined;
}

/** Creates a logger that redacts everything that looks like a secret, by name or by pattern. */
export function createLogger({
  level = 'info',
  destination = process.stdout,
  readable = false,
}: LogOptions = {}): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactFields(fields, 5) as typeof fields },
      hooks: {
        logMethod(args, method) {
          const clean = args.map((one: unknown) => (typeof one === 'string' ? redactText(one) : one));
          method.apply(this, clean as typeof args);
        },
      },
    },
    { write: (line: string) => destination.write(readable ? formatLine(line) : line) },
  );
}

const secretName = /secret|password|passwd|credential|token|cookie|authorization|private|(^|_|-)key$|apikey/i;
const camelKey = /[a-z\d]Key$/;
const secretPatterns = [
  /\b(?:acs|ort|oas|whsec|acck)_[\w+/=.-]{20,}/g,
  /\b(?:lin_(?:api|oauth)_|grn_|ya29\.|GOCSPX-|1\/\/0)[\w-]{10,}/g,
  /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g,
  /(?<=\b(?:bearer|basic) )[\w.~+/=-]{8,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // In a URL's user info or query.
  /(?<=:\/\/[^\s/:@]{0,200}:)[^\s/@]+(?=@)/g,
  /(?<=[?&;][\w.-]{0,40}(?:secret|password|token|key|code|assertion|signature)=)[^&#\s"]+/gi,
  // In a header, or in JSON embedded in text.
  /(?<=(?:secret|password|token|cookie|authorization|[_-]key)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"'\\,;&}]{4,}/gi,
];

// Expects plain text: in JSON, an escaped line break (`\n`) would merge with the next word.
const redactText = (text: string) => secretPatterns.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);

function redactFields(value: unknown, depth: number): unknown {
  if (value instanceof Error) return errorFields(value, depth);
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretName.test(name) || camelKey.test(name) ? '[redacted]' : redactFields(item, depth - 1),
    ]),
  );
}

/** Includes only fields known to be harmless, since libraries attach requests and their headers to errors. */
function errorFields(error: Error, depth: number): object {
  const { name, message, stack, cause } = error;
  const { code, errcode, errstr } = error as { readonly [name in 'code' | 'errcode' | 'errstr']?: unknown };
  return {
    name,
    message: redactText(message),
    ...(typeof code === 'string' && { code }),
    ...(typeof errcode === 'number' && { errcode }),
    ...(typeof errstr === 'string' && { errstr: redactText(errstr) }),
    stack: stack && redactText(stack),
    ...(cause instanceof Error && depth > 0 && { cause: errorFields(cause, depth - 1) }),
  };
}

function formatLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const trace = (err as { readonly stack?: string } | undefined)?.stack;
  const words = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...rest];
  return `${words.join(' ')}\n${trace ? `${trace}\n` : ''}`;
}

/** Where an unexpected error was thrown, without its message, which may quote tenant data. */
export function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, stack = '' } = error;
  const { code, errstr } = error as { readonly code?: unknown; readonly errstr?: unknown };
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  // SQLite's own message for the code, such as "database or disk is full".
  const reason = typeof errstr === 'string' && { errstr };
  return { name, ...(typeof code === 'string' && { code }), ...reason, stack: [name, ...frames].join('\n') };
}
