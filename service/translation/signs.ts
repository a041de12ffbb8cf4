/** Quotation marks around a few words; an apostrophe stands before a letter, or has no partner. */
const SINGLE = String.raw`‘(?=[^‘’\n]{1,200}’(?!\p{L}))|(?<=‘[^‘’\n]{1,200})’(?!\p{L})`;

/** Signs that an engine may not read, by the ASCII sign that it reads in their place. */
const KINDS = [
  ['"', `[“”„‟«»‚‹›＂]|${SINGLE}`],
  ["'", '[‘’‛＇]'],
  ['-', '[‐‑‒–—―−]'],
  ['...', '…'],
].map(([plain = '', signs = '']) => {
  const ascii = plain.replaceAll('.', String.raw`\.`);
  return { plain, any: new RegExp(`${signs}|${ascii}`, 'gu'), ascii: new RegExp(ascii, 'gu') };
});

/** Replaces quotation marks, dashes and dots that an engine cannot read by ASCII signs. */
export const toPlainSigns = (text: string, reads: (text: string) => boolean): string => {
  let plain = text;
  for (const kind of KINDS)
    plain = plain.replaceAll(kind.any, (sign) => (reads(sign) ? sign : kind.plain));
  return plain;
};

/**
 * Puts the signs of a source back into a translation of `toPlainSigns`: one by one where there are
 * as many, all where they are the same.
 */
export const restoreSigns = (source: string, translated: string): string => {
  let restored = translated;
  let rest = source;
  for (const { any, ascii, plain } of KINDS) {
    const written = rest.match(any) ?? [];
    rest = rest.replaceAll(any, plain);
    if (written.every((sign) => sign === plain)) continue;
    const places = restored.match(ascii)?.length ?? 0;
    const isSame = new Set(written).size === 1;
    if (places !== written.length && !isSame) continue;
    let next = 0;
    restored = restored.replaceAll(ascii, () => {
      const sign = written[isSame ? 0 : next] ?? plain;
      next += 1;
      return sign;
    });
  }
  return restored;
};
