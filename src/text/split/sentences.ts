const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/**
 * Abbreviations whose full stop does not end a sentence. Unicode's rules know none; these stand
 * before a name or a number, where a break would be heard.
 */
const abbreviation =
  /(?:^|[\s("'«“])(?:mr|mrs|ms|dr|prof|st|sr|sra|jr|no|nr|vs|e\.g|i\.e|z\.b|d\.h|bzw|ca|p\.ej|approx|mme|mlle|av|fig|vol|\p{Lu})\.\s+$/iu;
/** Matches the place after an ellipsis where a new sentence visibly begins. */
const afterEllipsis = /(?<=…["'”’」』）)]?\s+)(?=[\p{Lu}\p{Lo}])/u;

/** Matches the brackets that open the next sentence, which Unicode's rules leave on the one before. */
const openingAtEnd = /[「『（“‘«([【]+$/u;

/** Yields the sentences of a text, each with the white space after it; joined they are the text. */
export const sentencesOf = function* (text: string): Generator<string, void, void> {
  let held = '';
  for (const { segment } of segmenter.segment(text)) {
    held += segment;
    // Only the end is checked, so that a text of abbreviations takes linear time.
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
 * Splits a text in any script into sentences, each with the white space after it. Joined they are
 * the text; an empty text has none.
 */
export const splitSentences = (text: string): string[] => [...sentencesOf(text)];
