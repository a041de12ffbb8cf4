/** Longest part whose repetition is looked for, and how often it must stand at the end of a text. */
const LONGEST_PART = 120;
const FEWEST_TIMES = 5;
/** UTF-16 units from which a repetition is more than "ha ha ha ha", and one without letters than a line. */
const FEWEST_REPEATED = 60;
const FEWEST_SIGNS = 400;
/** Words of a run by which a text is known again. */
const RUN_WORDS = 6;

interface Repeated {
  readonly part: string;
  /** UTF-16 units of all its repetitions at the end of the text. */
  readonly chars: number;
}

const NOTHING: Repeated = { part: '', chars: 0 };

/** Finds the part that the end of a text repeats most. */
const repeatedAtEnd = (text: string): Repeated => {
  const tail = text.trimEnd().slice(-2 * LONGEST_PART * FEWEST_TIMES);
  let most = NOTHING;
  for (let partChars = 1; partChars * FEWEST_TIMES <= tail.length; partChars += 1) {
    const part = tail.slice(-partChars);
    let start = tail.length - partChars;
    while (start >= partChars && tail.startsWith(part, start - partChars)) start -= partChars;
    const chars = tail.length - start;
    if (chars >= partChars * FEWEST_TIMES && chars > most.chars) most = { part, chars };
  }
  return most;
};

/** True when a reply goes round in a circle, as its source does not. */
export const loops = (source: string, reply: string): boolean => {
  const { part, chars } = repeatedAtEnd(reply);
  const fewest = /\p{L}/u.test(part) ? FEWEST_REPEATED : FEWEST_SIGNS;
  return chars >= fewest && chars > 2 * repeatedAtEnd(source).chars;
};

/** A text that goes round in a circle, up to the end of the first round. */
export const withoutLoop = (text: string): string => {
  let shown = text.trimEnd();
  for (let found = repeatedAtEnd(shown); found.chars > 0; found = repeatedAtEnd(shown))
    shown = shown.slice(0, shown.length - found.chars + found.part.length).trimEnd();
  return shown;
};

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const runsOf = (text: string): ReadonlySet<string> => {
  const words = wordsOf(text);
  const count = Math.max(0, words.length - RUN_WORDS + 1);
  return new Set(
    Array.from({ length: count }, (_, at) => words.slice(at, at + RUN_WORDS).join(' ')),
  );
};

/** True when a reply repeats a run of words of `told` that is not in its source. */
export const repeatsRun = (told: readonly string[], source: string, reply: string): boolean => {
  if (told.length === 0) return false;
  const repeated = runsOf(told.join('\n')).intersection(runsOf(reply));
  return repeated.size > 0 && !repeated.isSubsetOf(runsOf(source));
};

/** A text as words alone, in lower case. */
export const foldedWords = (text: string): string => wordsOf(text).join(' ');
