import type { Voice } from '../../../src/api/contract.ts';
import { AUDIO_FORMATS } from '../../../src/model/file.ts';
import { stableUuid } from '../../uuid.ts';
import type { EspeakVoice } from './library.ts';

/** Rates to which the library's 22,050 Hz are resampled. */
const SAMPLE_RATES_HZ = [8_000, 16_000, 24_000, 48_000] as const;

/** Every voice of the library is male; these are its own variants of the same pronunciation. */
const VARIANTS = [
  { gender: 'Male', suffix: '' },
  { gender: 'Female', suffix: '+f3' },
] as const;

/** A voice for testing the library, without phonemes of its own. */
const UNUSABLE = new Set(['art/xex']);

const REMARKS: Readonly<Record<string, string>> = {
  'jpx/ja': ', reads kana only: kanji are announced as "Chinese letter"',
};

export interface KnownVoice {
  readonly voice: Voice;
  /** Name for `set_voice`. */
  readonly espeakName: string;
}

const UNRANKED = 99;

/**
 * The library's preference of a voice for its whole language, not a region of it; lower is better.
 */
const preference = ({ languages }: EspeakVoice): number =>
  Math.min(
    UNRANKED,
    ...languages.filter(({ name }) => !name.includes('-')).map(({ priority }) => priority),
  );

/** Drops the note on how other scripts are read, which names languages that are not meant. */
const languageOf = ({ name }: EspeakVoice): string => name.trim().replace(/, latin as [^)]*/, '');

const describeVoice = (
  known: EspeakVoice,
  { gender, suffix }: (typeof VARIANTS)[number],
): KnownVoice => {
  const espeakName = `${known.identifier}${suffix}`;
  const remark = REMARKS[known.identifier] ?? '';
  return {
    espeakName,
    voice: {
      id: stableUuid(`espeak-ng ${espeakName}`),
      description: `eSpeak NG${remark}`,
      language: languageOf(known),
      gender,
      formats: [...AUDIO_FORMATS],
      sample_rates: [...SAMPLE_RATES_HZ],
      streaming: true,
    },
  };
};

/** The library's voices as the contract's (section 2.1), by id; the usual ones of a language first. */
export const describeVoices = (voices: readonly EspeakVoice[]): ReadonlyMap<string, KnownVoice> =>
  new Map(
    voices
      .filter(({ identifier }) => !UNUSABLE.has(identifier))
      .toSorted((a, b) => preference(a) - preference(b))
      .flatMap((known) => VARIANTS.map((variant) => describeVoice(known, variant)))
      .map((known) => [known.voice.id, known]),
  );

/**
 * Plain text for a library that reads SSML and, between double brackets, phonemes: neither may come
 * from a client. Control characters would end the text.
 */
export const toMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(/(?![\t\n])\p{Cc}/gu, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
