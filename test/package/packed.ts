import type { TestProject } from 'vitest/node';
import { emptyFolder, type PackedPackage, pack, remove } from './installed.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The repository's packages, packed once for all tests. */
    packed: Readonly<Record<'library' | 'sandbox' | 'service' | 'react', PackedPackage>>;
  }
}

let folder: string;

/** Packs the repository's packages before the first test. */
export async function setup({ provide }: TestProject): Promise<void> {
  folder = await emptyFolder();
  const [library, sandbox, service, react] = await Promise.all(
    ['.', 'sandbox', 'service', 'react'].map((source) => pack(source, folder)),
  );
  provide('packed', { library: library!, sandbox: sandbox!, service: service!, react: react! });
}

/** Deletes the packed packages after the last test. */
export const teardown = () => remove(folder);
