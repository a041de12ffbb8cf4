import * as fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff;

const codeOf = (character: unknown): number => {
  const [only, ...more] = typeof character === 'string' ? character : '';
  if (only === undefined || more.length > 0 || !only.isWellFormed())
    throw new Error('this is not one character');
  return only.codePointAt(0)!;
};

/**
 * Any character of Unicode, as unit of strings: fast-check’s own, `binary`, makes a table of all of them, which takes a
 * second and 80 MB.
 */
export const anyCharacter = fc.integer({ min: 0, max: LAST - SURROGATES }).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (character) => {
    const code = codeOf(character);
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
