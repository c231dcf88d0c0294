/** A unit vector with two bytes per number: a coarse value and its remainder. */
export interface PackedVector {
  readonly scale: number;
  readonly coarse: Uint8Array;
  readonly fine: Uint8Array;
}

const maxCode = 127;
/** Fine steps per coarse step. */
const fineSteps = 254;

const bytesOf = (numbers: Int8Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** The same bytes as numbers from -128 to 127. */
export const numbersOf = (bytes: Uint8Array): Int8Array =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Scales a vector to length 1; a zero vector is unchanged. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += vector[index]! ** 2;
  if (!Number.isFinite(sum)) throw new Error('Vector contains NaN or Infinity.');
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}

/** Packs a unit vector. */
export function pack(vector: Float32Array): PackedVector {
  let maximum = 0;
  for (let index = 0; index < vector.length; index++) maximum = Math.max(maximum, Math.abs(vector[index]!));
  const scale = maximum / maxCode || 1;
  const coarse = new Int8Array(vector.length);
  const fine = new Int8Array(vector.length);
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index]! / scale;
    coarse[index] = Math.round(value);
    fine[index] = Math.round((value - coarse[index]!) * fineSteps);
  }
  return { scale, coarse: bytesOf(coarse), fine: bytesOf(fine) };
}

/** Restores a packed vector, approximately. */
export function unpack({ scale, coarse, fine }: PackedVector): Float32Array {
  const [first, second] = [numbersOf(coarse), numbersOf(fine)];
  return Float32Array.from(first, (value, index) => (value + second[index]! / fineSteps) * scale);
}

/** Cosine similarity of a unit vector and a packed one. */
export function cosineOf(vector: Float32Array, { scale, coarse, fine }: PackedVector): number {
  const [first, second] = [numbersOf(coarse), numbersOf(fine)];
  let [sum, rest] = [0, 0];
  for (let index = 0; index < vector.length; index++) {
    sum += vector[index]! * first[index]!;
    rest += vector[index]! * second[index]!;
  }
  return (sum + rest / fineSteps) * scale;
}

/** Quantizes a unit vector so that its dot product with coarse bytes fits in 32 bits. */
export function quantizeQuery(vector: Float32Array): Int16Array {
  let maximum = 0;
  for (let index = 0; index < vector.length; index++) maximum = Math.max(maximum, Math.abs(vector[index]!));
  const maxMagnitude = Math.min(32_767, Math.floor(2 ** 31 / (128 * vector.length)) - 1);
  const numbers = new Int16Array(vector.length);
  for (let index = 0; index < vector.length; index++) {
    numbers[index] = Math.round((vector[index]! / (maximum || 1)) * maxMagnitude);
  }
  return numbers;
}
