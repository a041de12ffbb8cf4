/** Characters that HTML writes as entities by name, of those that people and models use (HTML, 13.5). */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
};

/** Source of a pattern for one entity, with its parts as groups. */
export const ENTITY =
  '&(?:(?<name>amp|lt|gt|quot|apos|nbsp)|#(?<decimal>\\d{1,7})|#[xX](?<hex>[\\da-fA-F]{1,6}));';

/** The parts of an entity, as the pattern's groups; one of them is there. */
export interface EntityParts {
  readonly name?: string | undefined;
  readonly decimal?: string | undefined;
  readonly hex?: string | undefined;
}

const MOST_CODE_POINT = 0x10_ff_ff;
/** Character that stands for a code point that is none (HTML, 13.2.5.80). */
const REPLACEMENT = '\uFFFD';

/** The character that an entity stands for. */
export const entityChar = ({ name, decimal, hex = '' }: EntityParts): string => {
  const named = NAMED[name ?? ''];
  if (named !== undefined) return named;
  const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return point > 0 && point <= MOST_CODE_POINT
    ? String.fromCodePoint(point).toWellFormed()
    : REPLACEMENT;
};
