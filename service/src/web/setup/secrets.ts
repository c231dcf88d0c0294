const shortest = 4;

/** Forms in which a secret may come back from whoever was sent it. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64'),
  JSON.stringify(secret).slice(1, -1),
];

/** A text that can be shown: without these secrets, and not longer than anyone reads. */
export function showable(text: string, secrets: readonly (string | undefined)[], most = 600): string {
  const given = secrets.filter((secret) => secret !== undefined && secret.length >= shortest) as string[];
  const forms = [...new Set(given.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}
