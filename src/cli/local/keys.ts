import type { ArgumentKeys } from '../arguments/specification.js';
import { allClasses } from '../definitions.js';
import type { CliEnvironment } from '../environment.js';
import { guideOf } from './open.js';
import { userParameterKeys } from './probes.js';

/** JSON argument keys that provide parameters for the cheap reads of any type. */
export async function doctorKeys(environment: CliEnvironment): Promise<ArgumentKeys> {
  const guides = await Promise.all((await allClasses(environment)).map(guideOf));
  return Object.fromEntries(guides.flatMap(userParameterKeys).map((key) => [key, 'text' as const]));
}
