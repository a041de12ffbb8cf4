/** A text as it is compared: without differences of case, width, composition and apostrophes. */
export interface Folded {
  readonly text: string;
  /**
   * The offset in the source of an offset in the folded text; -1 within what was one character
   * there.
   */
  readonly sourceOf: (at: number) => number;
}

/** A part whose length changed. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly sourceEnd: number;
}

const beyondAscii = /[\u0080-\uFFFF]/;
// Apostrophes that keyboards write.
const apostrophes = /[’‘ʼ′´]/g;
// Letters that lower case and NFKC alone do not make the same.
const special = /[ßς]|\u0307/;
// What a character composes with: marks, half-width voicing, vowels and finals of Korean.
const cluster =
  /[\s\S][\p{M}\uFF9E\uFF9F\u1160-\u11FF\uFFA0-\uFFDC]+|[\p{Changes_When_NFKC_Casefolded}]/gu;

const foldCluster = (written: string): string =>
  written
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ');

const same = (at: number): number => at;

const sourceOf =
  (changes: readonly Change[]) =>
  (at: number): number => {
    let low = 0;
    let high = changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((changes[middle] as Change).from < at) low = middle + 1;
      else high = middle;
    }
    const before = changes[low - 1];
    if (before === undefined) return at;
    return at < before.to ? -1 : before.sourceEnd + at - before.to;
  };

/**
 * Folds case, width, composition (NFKC) and apostrophes. The dotted capital I of Turkish becomes a
 * plain i, because people write names with it either way.
 */
export const foldText = (source: string): Folded => {
  if (!beyondAscii.test(source)) return { text: source.toLowerCase(), sourceOf: same };
  // İ is the only letter that changes its length in lower case.
  const lower = source.replaceAll('İ', 'i').toLowerCase().replaceAll(apostrophes, "'");
  if (!special.test(lower) && lower.normalize('NFKC') === lower)
    return { text: lower, sourceOf: same };
  const changes: Change[] = [];
  let text = '';
  let from = 0;
  for (const { 0: written, index } of lower.matchAll(cluster)) {
    const folded = foldCluster(written);
    if (folded === written) continue;
    text += lower.slice(from, index);
    from = index + written.length;
    if (folded.length !== written.length)
      changes.push({ from: text.length, to: text.length + folded.length, sourceEnd: from });
    text += folded;
  }
  text += lower.slice(from);
  return { text, sourceOf: changes.length === 0 ? same : sourceOf(changes) };
};
