/** Tokens that expire within a day, and options that only restrict a key, are useless in a form. */
const omitted = new Set(['access_token', 'scopes']);

/** Fields for the contents of a file: clients have a picker for its path, which this variable takes. */
const files = { credentials_json: 'GOOGLE_APPLICATION_CREDENTIALS' };

/** Credentials for the form, once per vendor: a connector's first mode, and key files. */
export function fieldsOf(descriptions) {
  const fields = new Map();
  for (const { name, title, auth } of descriptions) {
    const modes = auth.filter((mode, index) => index === 0 || mode.fields.some((field) => files[field.name]));
    for (const field of modes.flatMap((mode) => mode.fields)) {
      if (omitted.has(field.name)) continue;
      const vendor = name.split('-')[0];
      const variable = files[field.name] ?? `${vendor}_${field.name}`.toUpperCase();
      const known = fields.get(variable);
      if (known) known.titles.push(title);
      else fields.set(variable, { variable, field, vendor: title.split(' ')[0], titles: [title] });
    }
  }
  return [...fields.values()].map(({ variable, field, vendor, titles }) => {
    const isFile = files[field.name] !== undefined;
    const label = isFile ? 'service account key file' : field.name.replaceAll('_', ' ');
    return {
      variable,
      key: variable.toLowerCase(),
      title: `${vendor}: ${label}`,
      description: `For ${titles.join(' and ')}. ${isFile ? 'JSON key file of a service account.' : field.description}`,
      // The path of a key file is not secret.
      secret: field.secret && !isFile,
      isFile,
    };
  });
}

/** Parameters that calls can omit if the environment sets them. */
export const parameterFieldsOf = (descriptions, guides) =>
  descriptions.flatMap(({ title }, index) =>
    Object.entries(guides[index]?.setup.doctor?.parameters ?? {}).flatMap(([name, { variable }]) => {
      if (variable === undefined) return [];
      const label = name.replaceAll('_', ' ');
      const description = `For ${title}. Calls that name no ${name} use it.`;
      return { variable, key: variable.toLowerCase(), title: `${title}: ${label}`, description, secret: false };
    }),
  );
