import { z } from 'zod';
import { A_LAW, MU_LAW } from '../../../src/audio/codec/pcm-samples.ts';
import { validate } from '../../body.ts';
import { readLanguage } from '../../language.ts';
import { readPcm } from '../recognition-session.ts';

/** Messages of transcription sessions of the OpenAI API, in today's form and in the one before. */

const PCM_RATE_HZ = 24_000;
const TELEPHONY_RATE_HZ = 8_000;

const pcm = { rateHz: PCM_RATE_HZ, samplesOf: readPcm };
const telephony = (table: Float32Array) => ({
  rateHz: TELEPHONY_RATE_HZ,
  samplesOf: (bytes: Uint8Array): Float32Array => Float32Array.from(bytes, (byte) => table[byte]!),
});
const muLaw = telephony(MU_LAW);
const aLaw = telephony(A_LAW);
/** Formats of audio by their names in both forms: their rates, and their samples of -1 to 1. */
const FORMATS = {
  'audio/pcm': pcm,
  'audio/pcmu': muLaw,
  'audio/pcma': aLaw,
  pcm16: pcm,
  g711_ulaw: muLaw,
  g711_alaw: aLaw,
} as const;
export type FormatName = keyof typeof FORMATS;

const names = <Name extends string>(...all: readonly [Name, ...Name[]]) =>
  z.enum(all, { error: `must be one of ${all.join(', ')}` });

const transcription = z.object({
  /** The language is found out where none is named. */
  language: z.string().nullish(),
  languages: z.array(z.string()).nullish(),
  prompt: z.string().nullish(),
  keywords: z.array(z.string()).nullish(),
  model: z.string().nullish(),
});

/** Only whether there is any: what it is set to is the service's own. */
const turnDetection = z.looseObject({ type: names('server_vad', 'semantic_vad') }).nullable();

const sessionUpdate = z.object({
  session: z.object({
    type: z
      .literal('transcription', { error: 'only transcription is supported here' })
      .default('transcription'),
    audio: z
      .object({
        input: z
          .object({
            format: z
              .object({
                type: names('audio/pcm', 'audio/pcmu', 'audio/pcma'),
                rate: z.literal(PCM_RATE_HZ, { error: 'must be 24000' }).optional(),
              })
              .optional(),
            transcription: transcription.nullish(),
            turn_detection: turnDetection.optional(),
          })
          .optional(),
      })
      .optional(),
  }),
});

const formerUpdate = z.object({
  session: z
    .object({
      input_audio_format: names('pcm16', 'g711_ulaw', 'g711_alaw').optional(),
      input_audio_transcription: transcription.nullish(),
      turn_detection: turnDetection.optional(),
    })
    .transform(({ input_audio_format: type, input_audio_transcription, turn_detection }) => {
      const format = type && { type };
      return {
        audio: { input: { format, transcription: input_audio_transcription, turn_detection } },
      };
    }),
});

export interface Settings {
  readonly format: FormatName;
  readonly transcription: z.infer<typeof transcription>;
  /** True where the service finds the ends of speech; otherwise the client commits. */
  readonly findsTurns: boolean;
}

export const FIRST_SETTINGS: Settings = {
  format: 'audio/pcm',
  transcription: {},
  findsTurns: true,
};

/** `null` is a value of this field alone: elsewhere it is a field that is left out. */
const hasNoTurns = (session: unknown): boolean => {
  const given = session as { turn_detection?: unknown; audio?: { input?: object } } | undefined;
  const input = given?.audio?.input ?? given;
  return Object(input).turn_detection === null;
};

/** Reads a change of the settings, in the form of its type. Throws a 400 for any other. */
export const readSettings = (
  message: { readonly type: string; readonly session?: unknown },
  before: Settings,
): Settings => {
  const isFormer = message.type === 'transcription_session.update';
  const { audio } = validate(isFormer ? formerUpdate : sessionUpdate, message).session;
  const input = audio?.input;
  const findsTurns = input?.turn_detection ? true : before.findsTurns;
  return {
    format: input?.format?.type ?? before.format,
    transcription: input?.transcription ?? before.transcription,
    findsTurns: findsTurns && !hasNoTurns(message.session),
  };
};

/** The settings of the session beneath. Throws a 400 for an unknown language. */
export const ownSession = ({ transcription: asked }: Settings): object => {
  const { language, languages, prompt, keywords } = asked;
  const hotwords = [...(prompt ? [prompt] : []), ...(keywords ?? [])];
  return {
    language: language ? readLanguage('transcription.language', language) : 'auto',
    ...(languages?.[0] === undefined ? {} : { default_language: languages[0] }),
    ...(hotwords.length > 0 ? { hotwords } : {}),
  };
};

/** The session as the client is told of it. */
export const sessionObject = (id: string, settings: Settings, isFormer: boolean): object => {
  const { format, transcription: asked, findsTurns } = settings;
  const turn = findsTurns ? { type: 'server_vad', silence_duration_ms: 500 } : null;
  const object = { id, object: 'realtime.transcription_session', expires_at: 0 };
  return isFormer
    ? {
        ...object,
        input_audio_format: format,
        input_audio_transcription: asked,
        turn_detection: turn,
      }
    : {
        ...object,
        type: 'transcription',
        audio: {
          input: {
            format: { type: format, ...(format === 'audio/pcm' ? { rate: PCM_RATE_HZ } : {}) },
            transcription: asked,
            turn_detection: turn,
            noise_reduction: null,
          },
        },
      };
};

const append = z.object({ audio: z.base64() });

/** Reads the samples of a message. Throws a 400 for what is no whole samples in base64. */
export const readAppended = (message: unknown, format: FormatName): Float32Array => {
  const { audio } = validate(append, message);
  return FORMATS[format].samplesOf(Buffer.from(audio, 'base64'));
};

export const rateOf = (format: FormatName): number => FORMATS[format].rateHz;
