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
interface Shift {
  readonly from: number;
  readonly to: number;
  readonly sourceEnd: number;
}

const beyondAscii = /[\u0080-\uFFFF]/;
// Apostrophes that keyboards write.
const apostrophe = /[’‘ʼ′´]/;
const apostrophes = new RegExp(apostrophe, 'g');
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
  (shifts: readonly Shift[]) =>
  (at: number): number => {
    let low = 0;
    let high = shifts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shifts[middle] as Shift).from < at) low = middle + 1;
      else high = middle;
    }
    const before = shifts[low - 1];
    if (before === undefined) return at;
    return at < before.to ? -1 : before.sourceEnd + at - before.to;
  };

// Units that change in another way than by lower case, or beside others. Emoji selectors do not.
const intricate = /(?![\uFE00-\uFE0F])[ßςΣ\p{M}\uFF9E\uFF9F\u1160-\u11FF\uFFA0-\uFFDC]/u;
/** Characters of two units that folding changes, or changes beside others. */
const changingPair = /[[\u{10000}-\u{10FFFF}]&&[\p{M}\p{Changes_When_NFKC_Casefolded}]]/v;

const CASE = 1;
const APOSTROPHE = 2;
const INTRICATE = 4;
const PAIR = 8;
const UNKNOWN = 16;
/** The effect of folding on each UTF-16 unit, as bits, looked up when a text first has it. */
const changes = new Uint8Array(0x1_0000).fill(UNKNOWN);

const changeOf = (unit: number): number => {
  const written = String.fromCharCode(unit);
  if (apostrophe.test(written)) return APOSTROPHE;
  if ((unit & 0xf800) === 0xd800) return PAIR;
  const lower = written.toLowerCase();
  if (intricate.test(written + lower) || lower.normalize('NFKC') !== lower) return INTRICATE;
  return lower === written ? 0 : CASE;
};

/** The effects of folding on the units of a text, as bits. */
const changesIn = (source: string): number => {
  let found = 0;
  for (let at = 0; at < source.length; at += 1) found |= changes[source.charCodeAt(at)] as number;
  if ((found & UNKNOWN) === 0)
    return found & PAIR && changingPair.test(source) ? found | INTRICATE : found;
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (changes[unit] === UNKNOWN) changes[unit] = changeOf(unit);
  }
  return changesIn(source);
};

/**
 * Folds case, width, composition (NFKC) and apostrophes. The dotted capital I of Turkish becomes a
 * plain i, because people write names with it either way.
 */
export const foldText = (source: string): Folded => {
  if (!beyondAscii.test(source)) return { text: source.toLowerCase(), sourceOf: same };
  const found = changesIn(source);
  if ((found & INTRICATE) === 0) {
    const lower = (found & CASE) === 0 ? source : source.toLowerCase();
    const text = (found & APOSTROPHE) === 0 ? lower : lower.replaceAll(apostrophes, "'");
    return { text, sourceOf: same };
  }
  // İ is the only letter that changes its length in lower case.
  const lower = source.replaceAll('İ', 'i').toLowerCase().replaceAll(apostrophes, "'");
  if (!special.test(lower) && lower.normalize('NFKC') === lower)
    return { text: lower, sourceOf: same };
  const shifts: Shift[] = [];
  let text = '';
  let from = 0;
  for (const { 0: written, index } of lower.matchAll(cluster)) {
    const folded = foldCluster(written);
    if (folded === written) continue;
    text += lower.slice(from, index);
    from = index + written.length;
    if (folded.length !== written.length)
      shifts.push({ from: text.length, to: text.length + folded.length, sourceEnd: from });
    text += folded;
  }
  text += lower.slice(from);
  return { text, sourceOf: shifts.length === 0 ? same : sourceOf(shifts) };
};
