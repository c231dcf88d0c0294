const placeholder = 'OWNER';

/** The publisher of the package; throws if it is required but unknown. */
export function publisherOf({ name, repository, mcpName }, isRequired) {
  const [, owner = placeholder, project = name] =
    /github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  const publisher = { name: `io.github.${owner}/${name}`, repository: `https://github.com/${owner}/${project}` };
  if (!isRequired) return publisher;
  if (owner === placeholder) throw new Error('repository.url of package.json must name the repository on GitHub.');
  // The registry compares these two names to verify the owner.
  if (mcpName !== publisher.name) throw new Error(`mcpName must be ${publisher.name} in package.json.`);
  return publisher;
}
