import type { ArgumentKeys } from '../arguments/specification.js';
import { allClasses } from '../definitions.js';
import type { Surroundings } from '../surroundings.js';
import { guideOf } from './open.js';
import { givenKeys } from './probes.js';

/** Keys of the JSON argument that any type's cheap reads take parameters from. */
export async function doctorKeys(surroundings: Surroundings): Promise<ArgumentKeys> {
  const guides = await Promise.all((await allClasses(surroundings)).map(guideOf));
  return Object.fromEntries(guides.flatMap(givenKeys).map((key) => [key, 'text' as const]));
}
