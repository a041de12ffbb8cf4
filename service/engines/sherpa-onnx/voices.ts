import { basename } from 'node:path';
import type { Voice } from '../../../src/api/contract.ts';
import { stableUuid, VOICE_OUTPUT } from '../../engine.ts';
import { unusable } from './model-folder.ts';
import type { Recording } from './parted-voices.ts';
import {
  findVoiceModel,
  type VoiceConfig,
  type VoiceKind,
  type VoiceModel,
} from './voice-model.ts';

/** Most speakers of a model that become voices: Kokoro has 103, some Piper models over 900. */
const MOST_SPEAKERS = 128;

/** Most languages that the name of a voice names. */
const MOST_NAMED = 3;

export interface InstalledSpeaker {
  readonly voice: Voice;
  readonly config: VoiceConfig;
  readonly speaker: number;
  /** ISO 639 codes of a model that is told the language of each text. */
  readonly languages?: readonly string[];
  /** The recording that is spoken like. */
  readonly recording?: Recording;
}

const KIND_NAMES: Readonly<Record<VoiceKind, string>> = {
  vits: 'VITS',
  kokoro: 'Kokoro',
  kitten: 'Kitten',
  matcha: 'Matcha',
  supertonic: 'Supertonic',
  pocket: 'Pocket TTS',
  zipvoice: 'ZipVoice',
};

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The language as a person reads it: by the model's code, `en-us`, or in its own words. */
const languageOf = (metadata: ReadonlyMap<string, string>): string => {
  const spoken = metadata.get('language') ?? 'unknown';
  try {
    return languageNames.of(metadata.get('voice') ?? '') ?? spoken;
  } catch {
    return spoken;
  }
};

/** Languages by the first letter of Kokoro's speakers, as far as the library pronounces them. */
const KOKORO_LANGUAGES: Readonly<Record<string, string>> = {
  a: 'American English',
  b: 'British English',
  z: 'Chinese',
};
const GENDERS: Readonly<Record<string, string>> = { f: 'Female', m: 'Male' };

interface Speaker {
  readonly name: string;
  readonly language: string;
  readonly gender: string;
}

/** A speaker of Kokoro such as `af_heart`; undefined for a language that is not pronounced. */
const kokoroSpeaker = (name: string): Speaker | undefined => {
  const [, letter = '', gender = '', own = ''] = /^([a-z])([fm])_(.+)$/.exec(name) ?? [];
  const language = KOKORO_LANGUAGES[letter];
  return language === undefined
    ? undefined
    : { name: own, language, gender: GENDERS[gender] ?? 'Neutral' };
};

/** Piper's folders are called `vits-piper-en_US-amy-low-int8`. */
const ownName = (folder: string): string =>
  /^vits-piper-[^-]+-([^-]+)/.exec(basename(folder))?.[1] ?? basename(folder);

/** A name as people write it: `Anna Maria` for `anna_maria`. */
const asName = (name: string): string =>
  name.replaceAll('_', ' ').replaceAll(/(?<![\p{L}\p{N}])\p{Ll}/gu, (first) => first.toUpperCase());

const speakersOf = (folder: string, { kind, metadata }: VoiceModel): (Speaker | undefined)[] => {
  const count = Math.max(1, Math.min(MOST_SPEAKERS, Number(metadata.get('n_speakers')) || 1));
  const names = metadata.get('speaker_names')?.split(',') ?? [];
  const language = languageOf(metadata);
  return Array.from({ length: count }, (_, index) => {
    const name = names[index];
    if (kind === 'kokoro' && name !== undefined) return kokoroSpeaker(name);
    const gender = GENDERS[/-([fm])$/.exec(name ?? '')?.[1] ?? ''] ?? 'Neutral';
    const fallback = count === 1 ? ownName(folder) : `${ownName(folder)} ${index + 1}`;
    return { name: name?.replace(/-[fm]$/, '') ?? fallback, language, gender };
  });
};

/**
 * Converts the speakers of a model to the contract's voices (section 2.1). Their ids depend on the
 * folder's name and are the same on every machine.
 */
const describeSpeakers = (
  folder: string,
  model: VoiceModel,
  gender: string | undefined,
): readonly InstalledSpeaker[] => {
  const piper = model.metadata.get('comment')?.includes('piper') === true;
  const kind = piper ? 'Piper' : KIND_NAMES[model.kind];
  const speakers = speakersOf(folder, model);
  return speakers.flatMap((one, speaker): InstalledSpeaker[] => {
    if (!one) return [];
    const known = speakers.length === 1 ? (gender ?? one.gender) : one.gender;
    const called = known === 'Neutral' ? '' : `, ${known.toLowerCase()}`;
    // With the language: a speaker may be called alloy, which is also any voice of the OpenAI API.
    const spoken =
      model.languages && model.languages.length > MOST_NAMED
        ? `${model.languages.length} languages`
        : one.language;
    const name = `${asName(one.name)}, ${spoken}${called}`;
    const recording = model.recordings?.[speaker];
    return [
      {
        config: model.config,
        speaker,
        ...(model.languages ? { languages: model.languages } : {}),
        ...(recording ? { recording } : {}),
        voice: {
          id: stableUuid(`sherpa-onnx ${basename(folder)} ${speaker}`),
          name,
          description: `${name} (${kind})`,
          language: one.language,
          gender: known,
          ...VOICE_OUTPUT,
        },
      },
    ];
  });
};

/**
 * Detects the voices in a folder; undefined for a folder with another kind of model. Throws
 * `AppError` (`config`) for a model that cannot be used.
 *
 * @param gender the model's gender, where it is known and the model has one speaker
 */
export const findVoices = async (
  folder: string,
  gender?: string,
): Promise<readonly InstalledSpeaker[] | undefined> => {
  const model = await findVoiceModel(folder);
  if (!model) return undefined;
  const speakers = describeSpeakers(folder, model, gender);
  if (speakers.length === 0)
    throw unusable(
      folder,
      `none of its speakers has a language that is pronounced here: ${Object.values(KOKORO_LANGUAGES).join(', ')}`,
    );
  return speakers;
};
