// Assembles the one function below for WebAssembly by hand, as no compiler has to be there then:
//
//   products(addresses, end, stride, wanted, results):
//     do
//       // The processor fetches what is touched while it goes on, and so many vectors at once, not one after the other.
//       batchEnd = the lesser of addresses + 4 * batch and end
//       for each address of the batch, for each line of its vector: touched ^= a byte of the line
//       do
//         code = *addresses, codeEnd = code + stride, number = wanted, even = odd = 0
//         do
//           four times, adding to even and odd in turn: 8 codes at code × 8 numbers at number, neighbours added up
//           number += 64, code += 32
//         while code < codeEnd
//         *results = the four sums of even + odd, results += 4, addresses += 4
//       while addresses < batchEnd
//     while addresses < end
//     return touched, so that nobody takes the touching for needless

/** So many codes at a time are multiplied: vectors have a length that it divides. */
export const codesPerStep = 32;

const codesPerLoad = 8;
/** So many vectors are touched before they are multiplied. */
const prefetchBatch = 32;
/** Bytes that a processor fetches at once. */
const cacheLineBytes = 64;

type Code = readonly number[];

/** A whole number without its sign in as many bytes as it needs, seven bits in each. */
const unsignedLeb128 = (value: number): Code =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsignedLeb128(value >>> 7)];
/** The same for one with a sign, which is the highest bit of the last byte. */
const signedLeb128 = (value: number): Code =>
  value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signedLeb128(value >> 7)];
const name = (text: string): Code => [...unsignedLeb128(text.length), ...new TextEncoder().encode(text)];
const list = (items: readonly Code[]): Code => [...unsignedLeb128(items.length), ...items.flat()];
const sized = (bytes: Code): Code => [...unsignedLeb128(bytes.length), ...bytes];
const section = (number: number, items: readonly Code[]): Code => [number, ...sized(list(items))];

const [i32, v128] = [0x7f, 0x7b];
const none = 0x40;
const [addresses, end, stride, wanted, results, code, codeEnd, number, ahead, batchEnd, touched, even, odd] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
] as const;

const get = (local: number): Code => [0x20, ...unsignedLeb128(local)];
const set = (local: number): Code => [0x21, ...unsignedLeb128(local)];
const tee = (local: number): Code => [0x22, ...unsignedLeb128(local)];
const constant = (value: number): Code => [0x41, ...signedLeb128(value)];
const [add, xor, isLess, choose] = [[0x6a], [0x73], [0x49], [0x1b]] as const;
const [load, loadByte, store] = [
  [0x28, 2, 0],
  [0x2d, 0, 0],
  [0x36, 2, 0],
] as const;
const advance = (local: number, bytes: number): Code => [...get(local), ...constant(bytes), ...add, ...set(local)];
/** Does it again for as long as one local is less than another. */
const loop = (work: Code, local: number, bound: number): Code => [
  0x03,
  none,
  ...work,
  ...get(local),
  ...get(bound),
  ...isLess,
  0x0d,
  0,
  0x0b,
];

const simdInstruction = (operation: number): Code => [0xfd, ...unsignedLeb128(operation)];
const zeros: Code = [...simdInstruction(12), ...new Uint8Array(16)];
const loadNumbers = (offset: number): Code => [...simdInstruction(0), 0, ...unsignedLeb128(offset)];
/** Loads 8 numbers of one byte as numbers of two. */
const loadCodes = (offset: number): Code => [...simdInstruction(1), 0, ...unsignedLeb128(offset)];
/** Multiplies 8 numbers of two bytes by 8 others, and adds the products of neighbours: 4 numbers of four bytes. */
const multiplyWide = simdInstruction(186);
const addWide = simdInstruction(174);
const lane = (local: number, index: number): Code => [...get(local), ...simdInstruction(27), index];

const step = (index: number): Code => {
  const sum = index % 2 === 0 ? even : odd;
  return [
    ...get(sum),
    ...[...get(code), ...loadCodes(index * codesPerLoad)],
    ...[...get(number), ...loadNumbers(2 * index * codesPerLoad)],
    ...[...multiplyWide, ...addWide, ...set(sum)],
  ];
};

const oneVector: Code = [
  ...[...get(addresses), ...load, ...tee(code), ...get(stride), ...add, ...set(codeEnd)],
  ...[...get(wanted), ...set(number)],
  ...[...zeros, ...set(even), ...zeros, ...set(odd)],
  ...loop(
    [
      ...Array.from({ length: codesPerStep / codesPerLoad }, (_, index) => step(index)).flat(),
      ...[...advance(number, 2 * codesPerStep), ...advance(code, codesPerStep)],
    ],
    code,
    codeEnd,
  ),
  ...[...get(even), ...get(odd), ...addWide, ...set(even)],
  ...[...get(results), ...lane(even, 0), ...lane(even, 1), ...add, ...lane(even, 2), ...add],
  ...[...lane(even, 3), ...add, ...store, ...advance(results, 4), ...advance(addresses, 4)],
];

const touchOne: Code = [
  ...[...get(ahead), ...load, ...tee(code), ...get(stride), ...add, ...set(codeEnd)],
  ...loop(
    [...get(touched), ...get(code), ...loadByte, ...xor, ...set(touched), ...advance(code, cacheLineBytes)],
    code,
    codeEnd,
  ),
  ...advance(ahead, 4),
];

const oneBatch: Code = [
  ...[...get(addresses), ...tee(ahead), ...constant(4 * prefetchBatch), ...add, ...tee(batchEnd), ...get(end)],
  ...[...get(batchEnd), ...get(end), ...isLess, ...choose, ...set(batchEnd)],
  ...loop(touchOne, ahead, batchEnd),
  ...loop(oneVector, addresses, batchEnd),
];

const locals = list([
  [6, i32],
  [2, v128],
]);
const body: Code = [...locals, ...loop(oneBatch, addresses, end), ...get(touched), 0x0b];

/** A module that imports a memory and exports the function. */
export const simdCode = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, ...list(Array.from({ length: 5 }, () => [i32])), 1, i32]]),
    ...section(2, [[...name('host'), ...name('memory'), 2, 0, 1]]),
    ...section(3, [[0]]),
    ...section(7, [[...name('products'), 0, 0]]),
    ...section(10, [sized(body)]),
  ]);
