const minSecretLength = 4;

/** Encoded forms in which a recipient may echo a secret. */
const encodedForms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64'),
  JSON.stringify(secret).slice(1, -1),
];

/** Makes text safe to display by redacting secrets and truncating it. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[], maxLength = 600): string {
  const redactable = secrets.filter((secret) => secret !== undefined && secret.length >= minSecretLength) as string[];
  const forms = [...new Set(redactable.flatMap(encodedForms))].sort((a, b) => b.length - a.length);
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
