/** Characters that HTML writes as entities (HTML, 13.5); models write these. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
};
const ENTITY =
  /&(?:(?<name>amp|lt|gt|quot|apos|nbsp)|#(?<decimal>\d{2,7})|#x(?<hex>[\da-f]{2,6}));/gi;
const MOST_CODE_POINT = 0x10_ff_ff;

const charOf = (codePoint: number): string | undefined =>
  codePoint <= MOST_CODE_POINT ? String.fromCodePoint(codePoint) : undefined;

/** Turns HTML's entities into characters, unless the source has such ones itself. */
export const withoutEntities = (source: string, reply: string): string => {
  if (!reply.includes('&') || source.search(ENTITY) >= 0) return reply;
  return reply.replaceAll(ENTITY, (written, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? written;
    const codePoint =
      decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
    return charOf(codePoint) ?? written;
  });
};
