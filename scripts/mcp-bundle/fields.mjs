/** Fields omitted from the form: tokens that expire within a day, and options that only restrict a key. */
const omitted = new Set(['access_token', 'scopes']);

/**
 * Fields that contain a file's contents, each with the variable that takes the file's path instead, because clients
 * have a file picker.
 */
const files = { credentials_json: 'GOOGLE_APPLICATION_CREDENTIALS' };

/** The form's credential fields, once per vendor: those of each connector's first mode, and key files. */
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
      const description = `For ${title}. Calls that do not specify a ${name} use this value.`;
      return { variable, key: variable.toLowerCase(), title: `${title}: ${label}`, description, secret: false };
    }),
  );
