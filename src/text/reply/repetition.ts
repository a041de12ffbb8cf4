import { isSpacedLetter } from '../unicode.ts';
import { type WordUnit, wordUnits } from '../word-units.ts';

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

/** UTF-16 units at the end of a text in which its words are compared: a few ms. */
const LONGEST_READ = 12_000;
/** Words of the longest part that is looked for, by its words. */
const LONGEST_PERIOD = 40;
/** Words of a part that is a sentence, and how often nobody says one again. */
const SENTENCE_WORDS = 6;
const SENTENCE_TIMES = 3;
/** Repetitions of a word that nobody says, and the letters of one that is more than "ha" or "no". */
const WORD_TIMES = 4;
const WORD_LETTERS = 4;
/** The same for an answer, which may be a song. */
const ANSWER_TIMES = 8;

/** Words that follow each other again and again. */
interface Run {
  /** The places in the text at which the first round and the last one end, in UTF-16 units. */
  readonly firstEnd: number;
  readonly end: number;
  /** Words of a round, its letters, and how many rounds there are. */
  readonly period: number;
  readonly letters: number;
  readonly times: number;
  /** Words of the text behind the last round. */
  readonly wordsBehind: number;
}

const lettersOf = (units: readonly WordUnit[]): number =>
  units.reduce((sum, { bare }) => sum + Math.max(bare.length, isSpacedLetter(bare) ? 1 : 2), 0);

/** Finds the parts of a text that are repeated at once, at least `fewest` times; shorter ones first. */
function* runsIn(text: string, fewest: number): Generator<Run, void, void> {
  const before = Math.max(0, text.length - LONGEST_READ);
  const units = wordUnits(text.slice(before));
  const longest = Math.min(LONGEST_PERIOD, Math.floor(units.length / fewest));
  for (let period = 1; period <= longest; period += 1) {
    let same = 0;
    for (let at = period; at <= units.length; at += 1) {
      const isSame = at < units.length && units[at]!.bare === units[at - period]!.bare;
      const times = Math.floor(same / period) + 1;
      if (!isSame && times >= fewest) {
        const from = at - same - period;
        yield {
          firstEnd: before + units[from + period - 1]!.end,
          end: before + units[at - 1]!.end,
          period,
          letters: lettersOf(units.slice(from, from + period)),
          times,
          wordsBehind: units.length - at,
        };
      }
      same = isSame ? same + 1 : 0;
    }
  }
}

/** A syllable that somebody repeats, as in "hahaha". */
const SYLLABLES = /(\p{L}{1,4}?)\1+/giu;

/** The most repetitions of the same in a text. */
const timesIn = (text: string): number => {
  const ofWords = Iterator.from(runsIn(text, 2)).map(({ times }) => times);
  const ofSyllables = text
    .slice(-LONGEST_READ)
    .matchAll(SYLLABLES)
    .map(([all, one = all]) => all.length / one.length);
  return Math.max(1, ...ofWords, ...ofSyllables);
};

const isMuch = ({ period, letters, times }: Run): boolean => {
  if (letters < WORD_LETTERS) return letters * times >= FEWEST_REPEATED;
  return times >= (period >= SENTENCE_WORDS ? SENTENCE_TIMES : WORD_TIMES);
};

/** True for a text whose end is the same again and again, of many characters. */
const endsInCircle = (text: string, others = 0): boolean => {
  const { part, chars } = repeatedAtEnd(text);
  const fewest = /\p{L}/u.test(part) ? FEWEST_REPEATED : FEWEST_SIGNS;
  return chars >= fewest && chars > 2 * others;
};

/** True when a reply goes round in a circle, as its source does not. */
export const loops = (source: string, reply: string): boolean => {
  if (endsInCircle(reply, repeatedAtEnd(source).chars)) return true;
  const most = Iterator.from(runsIn(reply, SENTENCE_TIMES))
    .filter(isMuch)
    .reduce((all, { times }) => Math.max(all, times), 0);
  return most > 0 && most > 2 * timesIn(source);
};

/** The words that the end of an answer repeats, up to a last round that is cut off. */
const runAtEnd = (text: string): Run | undefined =>
  Iterator.from(runsIn(text, ANSWER_TIMES)).find(
    ({ letters, times, wordsBehind }) => letters * times >= FEWEST_REPEATED && wordsBehind <= 1,
  );

/** True for a text that somebody said or wrote unasked, and that goes round in a circle at its end. */
export const goesRound = (text: string): boolean =>
  endsInCircle(text) || runAtEnd(text) !== undefined;

const SENTENCE_END = /^[^]*?[.!?。！？…]+/u;

/** A text that goes round in a circle, up to the end of the first round. */
export const withoutLoop = (text: string): string => {
  let shown = text.trimEnd();
  for (let run = runAtEnd(shown); run; run = runAtEnd(shown)) {
    const { firstEnd, end, times } = run;
    const round = shown.slice(firstEnd, firstEnd + Math.ceil((end - firstEnd) / (times - 1)));
    // A round may begin within the sentence before it.
    shown = shown.slice(0, firstEnd) + (SENTENCE_END.exec(round)?.[0] ?? '');
  }
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
