import { AppError } from '../errors.ts';
import { isSpacedLetter, isLetter } from '../text/unicode.ts';
import { wordUnits, type WordUnit } from '../text/word-units.ts';
import stockPhrases from './stock-phrases.json' with { type: 'json' };

/** Markers that recognisers write for sounds that are no speech: `[Music]`, `(applause)`, `♪`. */
const SOUND_MARKERS =
  /[[(（【*]\s*(?:(?:(?:upbeat|soft|dramatic|gentle|tense|background|audience|crowd|loud|heavy|eerie) )?(?:music|musique|música|musik|musica|muziek|applause|applaudissements|aplausos|applaus|laughter|laughs|rires|risas|silence|noise|static|breathing|coughs?|coughing|sighs?|clicking|typing|wind|beep(?:ing)?|музыка|аплодисменты|смех)(?: (?:playing|continues|fades|stops|ends))?|blank[_ ]audio|no (?:audio|speech|sound)|inaudible|unintelligible|foreign|foreign language|speaking (?:in )?(?:a )?foreign language|音楽|拍手|笑い?|笑い声|無音|音乐|掌声|笑声|박수|음악|웃음)\s*[\])）】*]|[♪♫♬🎵🎶]+/giu;

/** Text in brackets, parentheses or asterisks, or between notes, also where the closing sign is missing. */
const ASIDES =
  /\[[^\]]*\]?|\([^)]*\)?|（[^）]*）?|【[^】]*】?|\*[^*]*\*?|[♪♫♬🎵🎶]+[^♪♫♬🎵🎶]*[♪♫♬🎵🎶]*/gu;

const letter = /\p{L}/u;

/**
 * Phrases that recognisers invent for near-silence, with the voice in ms of somebody who says them
 * fast: measured with eSpeak NG 1.52 at 260 words a minute, in 20 ms frames above -44 dB.
 */
const STOCK_PHRASES: ReadonlyMap<string, number> = new Map(Object.entries(stockPhrases));

/** Phrases that are invented for near-silence too, but are also common in conversation. */
const COMMON_PHRASES = new Set(
  [
    'you|bye|bye bye|okay|oh|so|uh|um|hmm|mm|mm hmm|yeah|the|thanks|thank you',
    'thank you very much|thank you so much|i m sorry|merci|gracias|danke|vielen dank|ja',
    'obrigado|спасибо|はい|うん|あ|ん|ありがとうございました|ありがとうございます|おやすみなさい|谢谢|謝謝|감사합니다|네',
  ].flatMap((row) => row.split('|')),
);

/** Normalises a text for comparison: no case, no punctuation, no needless spaces. */
export const bareText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();

export const hasLetters = (text: string): boolean => letter.test(text);

/** The words of a text without the markers of sounds; none where all letters are in asides. */
export const withoutSounds = (text: string): string => {
  const isAside = hasLetters(text) && !hasLetters(text.replaceAll(ASIDES, ' '));
  return isAside ? '' : text.replaceAll(SOUND_MARKERS, ' ').replaceAll(/\s+/g, ' ').trim();
};

/** The voice, in ms, that a stock phrase takes when it is spoken fast; undefined for other texts. */
export const stockPhraseMs = (text: string): number | undefined =>
  STOCK_PHRASES.get(bareText(text));

/** True for texts that are often invented, and often spoken too. */
export const isCommonPhrase = (text: string): boolean => COMMON_PHRASES.has(bareText(text));

/** Longest text that is examined: nobody says more in one utterance. */
const LONGEST_CHARS = 2_000;

const LONGEST_UNIT_WORDS = 20;

/** Least share of a transcript that a loop covers; a few words may stand before or after it. */
const LOOP_SHARE = 0.6;

/** Counts letters of scripts with spaces, and characters of scripts without. */
export const countLetters = (
  text: string,
): { readonly letters: number; readonly signs: number } => {
  let letters = 0;
  let signs = 0;
  for (const char of text)
    if (isSpacedLetter(char)) letters += 1;
    else if (isLetter(char)) signs += 1;
  return { letters, signs };
};

/** Fewest repetitions that nobody speaks in one breath. */
export const MOST_LOOPS = 10;

/** Fewest words in front of a loop that are no part of what made it. */
const GOOD_START_WORDS = 3;

const unitsOf = (text: string): readonly WordUnit[] => wordUnits(text.slice(0, LONGEST_CHARS));

/** Counts how often a text repeats the same words in a row, if that is most of it; else 1. */
export const longestLoop = (text: string): number => {
  const units = unitsOf(text);
  let most = 1;
  const longestUnit = Math.min(LONGEST_UNIT_WORDS, Math.floor(units.length / 2));
  for (let period = 1; period <= longestUnit; period += 1) {
    let run = 0;
    for (let at = period; at < units.length; at += 1) {
      run = units[at]?.bare === units[at - period]?.bare ? run + 1 : 0;
      if (run + period < units.length * LOOP_SHARE) continue;
      most = Math.max(most, Math.floor(run / period) + 1);
    }
  }
  return most;
};

/** The number of units in front of those with which a text repeats what is `period` units before. */
const repeatedFrom = (units: readonly WordUnit[], period: number): number => {
  let at = units.length;
  while (at > period && units[at - 1]?.bare === units[at - 1 - period]?.bare) at -= 1;
  return at - period;
};

/**
 * A text whose end repeats the same words at least `fewest` times, behind `fewestBefore` others or more, up
 * to the end of the first time; any other text as it is. Its last word may be cut off.
 */
export const withoutEndLoop = (
  text: string,
  fewest: number,
  fewestBefore = GOOD_START_WORDS,
): string => {
  const all = unitsOf(text);
  for (const units of [all, all.slice(0, -1)])
    for (let period = 1; period <= LONGEST_UNIT_WORDS; period += 1) {
      const start = repeatedFrom(units, period);
      if (start >= fewestBefore && units.length - start >= fewest * period)
        return text.slice(0, units[start + period - 1]?.end);
    }
  return text;
};

/** Confidence below which a stock phrase counts as invented. */
const SURE = 0.6;

/** The words that were spoken, an endless loop of them once; empty when there were only sounds. */
export const spokenTranscript = ({
  text,
  confidence = 1,
}: {
  readonly text: string;
  /** Confidence from 0 to 1; undefined where it is not known. */
  readonly confidence?: number | undefined;
}): string => {
  const words = withoutEndLoop(withoutSounds(text), MOST_LOOPS, 0);
  return confidence < SURE && stockPhraseMs(words) !== undefined ? '' : words;
};

/** Counts the words (characters) of a transcript if all are among `others`; otherwise 0. */
export const countOnlyFrom = (text: string, others: readonly string[]): number => {
  const units = unitsOf(text);
  const known = new Set(others.flatMap(unitsOf).map(({ bare }) => bare));
  return units.every(({ bare }) => known.has(bare)) ? units.length : 0;
};

/** Letters a second of the fastest speech, with room for spelt numbers, and those of any utterance. */
const LETTERS_PER_S = 50;
const SPARE_LETTERS = 120;

/** Rejects a transcript that nobody can have said in this time, with `bad-reply`. */
export const assertSayable = (transcript: string, durationMs: number): void => {
  if (transcript.length > SPARE_LETTERS + (LETTERS_PER_S * durationMs) / 1_000)
    throw new AppError('bad-reply', 'the transcript is too long for its audio');
};
