const placeholder = 'OWNER';

/** In whose name the package is published; refuses where that is unknown and has to be known. */
export function publisherOf({ name, repository, mcpName }, isRequired) {
  const [, owner = placeholder, project = name] =
    /github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  const publisher = { name: `io.github.${owner}/${name}`, repository: `https://github.com/${owner}/${project}` };
  if (!isRequired) return publisher;
  if (owner === placeholder) throw new Error('repository.url of package.json must name the repository on GitHub.');
  // The registry compares the two to see that both have the same owner.
  if (mcpName !== publisher.name) throw new Error(`mcpName must be ${publisher.name} in package.json.`);
  return publisher;
}
