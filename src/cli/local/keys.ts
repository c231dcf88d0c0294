import type { ArgumentKeys } from '../arguments/specification.js';
import { allClasses } from '../definitions.js';
import type { CliEnvironment } from '../environment.js';
import { guideOf } from './open.js';
import { userParameterKeys } from './probes.js';

/** Keys of the JSON argument that provide parameters for any type's cheap reads. */
export async function doctorKeys(environment: CliEnvironment): Promise<ArgumentKeys> {
  const guides = await Promise.all((await allClasses(environment)).map(guideOf));
  return Object.fromEntries(guides.flatMap(userParameterKeys).map((key) => [key, 'text' as const]));
}
