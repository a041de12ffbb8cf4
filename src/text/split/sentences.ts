const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/**
 * Words whose full stop does not end a sentence. Unicode's rules know none of them; these are the
 * ones that stand before a name or a number, where a break would be heard.
 */
const abbreviation =
  /(?:^|[\s("'«“])(?:mr|mrs|ms|dr|prof|st|sr|sra|jr|no|nr|vs|e\.g|i\.e|z\.b|d\.h|bzw|ca|p\.ej|approx|mme|mlle|av|fig|vol|\p{Lu})\.\s+$/iu;
/** A pause that ends a sentence only where a new one visibly begins. */
const afterEllipsis = /(?<=…["'”’」』）)]?\s+)(?=[\p{Lu}\p{Lo}])/u;

/** Unicode's rules leave the bracket that opens the next sentence on the one before it. */
const openingAtEnd = /[「『（“‘«([【]+$/u;

/** Sentences one by one, each with the white space after it; together they are the text. */
export const sentencesOf = function* (text: string): Generator<string, void, void> {
  let held = '';
  for (const { segment } of segmenter.segment(text)) {
    held += segment;
    // The end alone is looked at, so that a text of abbreviations takes linear time.
    const end = segment.slice(-24);
    if (abbreviation.test(end) && !end.includes('\n')) continue;
    const opening = openingAtEnd.exec(end)?.[0] ?? '';
    const whole = held.slice(0, held.length - opening.length);
    if (whole === '') continue;
    yield* segment.includes('…') ? whole.split(afterEllipsis) : [whole];
    held = opening;
  }
  if (held !== '') yield held;
};

/**
 * The sentences of a text in any script, each with the white space after it. Joined they are the
 * text; there is none in an empty one.
 */
export const splitSentences = (text: string): string[] => [...sentencesOf(text)];
