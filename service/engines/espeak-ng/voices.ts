import type { Voice } from '../../../src/api/contract.ts';
import { isLocale } from '../../../src/text/language/language-names.ts';
import { stableUuid, VOICE_OUTPUT } from '../../engine.ts';

/** The only module that loads the library (GPL-3.0); only a separate process may import it. */

export interface EspeakVoice {
  /** Path of the voice, such as `gmw/en-US`. */
  readonly identifier: string;
  readonly name: string;
  readonly languages: readonly { readonly name: string; readonly priority: number }[];
}

interface Espeak {
  list_voices(): EspeakVoice[];
  /** Selects a voice; silently uses another one for an unknown name. */
  set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
  set_rate(wordsPerMinute: number): void;
  get_samplerate(): number;
  /** Synthesises `text`, which is read as SSML. The callback returns true to stop. */
  synthesize(text: string, callback: (samples: Int16Array) => boolean): void;
}

export const PACKAGE = '@echogarden/espeak-ng-emscripten';

export const loadEspeak = async (): Promise<Espeak> => {
  const { default: create } = (await import(PACKAGE)) as {
    default: () => Promise<{ eSpeakNGWorker: new () => Espeak }>;
  };
  const library = await create();
  return new library.eSpeakNGWorker();
};

/** Variants of each voice with the same pronunciation: the library's own voices are all male. */
const VARIANTS = [
  { gender: 'Male', suffix: '' },
  { gender: 'Female', suffix: '+f3' },
] as const;

/** Voices that only test the library and have no phonemes of their own. */
const UNUSABLE = new Set(['art/xex']);

const JAPANESE = 'jpx/ja';

/** True for the Japanese voice and its variants, by the library's name. */
export const isJapanese = (espeakName: string): boolean => espeakName.startsWith(JAPANESE);

export interface KnownVoice {
  readonly voice: Voice;
  /** Name for `set_voice`. */
  readonly espeakName: string;
}

const UNRANKED = 99;

/**
 * The library's priority of a voice for its whole language, not for a region of it; lower is
 * better.
 */
const preference = ({ languages }: EspeakVoice): number =>
  Math.min(
    UNRANKED,
    ...languages.filter(({ name }) => !name.includes('-')).map(({ priority }) => priority),
  );

/**
 * Removes the note about reading other scripts, which names languages that the voice does not
 * speak.
 */
const languageOf = ({ name }: EspeakVoice): string => name.trim().replace(/, latin as [^)]*/, '');

/** The BCP 47 code of a voice's language; the library writes it in lower case. */
const codeOf = ({ languages }: EspeakVoice): string => {
  const own = languages[0]?.name ?? 'und';
  return isLocale(own) ? String(new Intl.Locale(own)) : own;
};

const describeVoice = (
  known: EspeakVoice,
  { gender, suffix }: (typeof VARIANTS)[number],
  readsKanji: boolean,
): KnownVoice => {
  const espeakName = `${known.identifier}${suffix}`;
  const remark =
    isJapanese(known.identifier) && !readsKanji
      ? ', reads kana only: kanji are announced as "Chinese letter"'
      : '';
  return {
    espeakName,
    voice: {
      id: stableUuid(`espeak-ng ${espeakName}`),
      name: `${languageOf(known)}, ${gender.toLowerCase()}`,
      description: `${languageOf(known)}, ${gender.toLowerCase()}, eSpeak NG${remark}`,
      language: `${languageOf(known)}, ${codeOf(known)}`,
      gender,
      ...VOICE_OUTPUT,
    },
  };
};

/**
 * Converts the library's voices to the contract's (section 2.1), by id; the usual ones of a
 * language first.
 *
 * @param readsKanji false when the package that reads kanji is absent, which descriptions mention
 */
export const describeVoices = (
  voices: readonly EspeakVoice[],
  readsKanji: boolean,
): ReadonlyMap<string, KnownVoice> =>
  new Map(
    voices
      .filter(({ identifier }) => !UNUSABLE.has(identifier))
      .toSorted((a, b) => preference(a) - preference(b))
      .flatMap((known) => VARIANTS.map((variant) => describeVoice(known, variant, readsKanji)))
      .map((known) => [known.voice.id, known]),
  );

/**
 * Escapes plain text for the library, which reads SSML and, in double brackets, phonemes: clients
 * must not send either. Removes control characters, which would end the text.
 */
export const toMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(/(?![\t\n])\p{Cc}/gu, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
