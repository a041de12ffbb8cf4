import { z } from 'zod';
import type { Voice } from '../../../src/api/contract.ts';
import { streamable } from '../../../src/audio/codec/encode.ts';
import type { AudioFormat } from '../../../src/model/message.ts';
import { detectLanguage } from '../../../src/text/language/detect.ts';
import {
  findLanguage,
  languagesInWords,
  sameLanguage,
} from '../../../src/text/language/languages.ts';
import { ContractError } from '../../errors.ts';
import type { Route } from '../../route.ts';
import {
  speechReply,
  readSpeechRequest,
  sampleRateFor,
  speedFields,
} from '../../speech/request.ts';
import type { Spools } from '../../speech/spool.ts';
import { OPENAI_PATHS } from '../lists.ts';

/** Voices of that API, which clients name by default: for them any voice of the text's language. */
const WELL_KNOWN =
  /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/i;

/** Formats by their names in that API. */
const FORMATS: Readonly<Record<string, AudioFormat>> = {
  mp3: 'mp3',
  opus: 'ogg',
  ogg: 'ogg',
  flac: 'flac',
  wav: 'wav',
  pcm: 'pcm',
};

const speechRequest = z.object({
  input: z.string().min(1),
  voice: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
  response_format: z.string().default('mp3'),
  ...speedFields,
  stream_format: z.literal('audio', { error: 'only audio is supported here' }).optional(),
});

const speaks = (voice: Voice, language: string): boolean =>
  languagesInWords(voice.language).some((one) => sameLanguage(one, language));

/** Finds a voice by its id, its name, a language, or by a well-known name; undefined for none. */
const findVoice = <V extends { readonly voice: Voice }>(
  known: readonly V[],
  named: string,
  text: string,
): V | undefined => {
  const name = named.toLowerCase();
  const own = known.find(({ voice }) => voice.id === name || voice.name?.toLowerCase() === name);
  if (own) return own;
  const isWellKnown = WELL_KNOWN.test(named);
  const language = isWellKnown ? (detectLanguage(text)?.language ?? 'en') : findLanguage(named);
  const speaking = known.find(({ voice }) => language !== undefined && speaks(voice, language));
  return speaking ?? (isWellKnown ? known[0] : undefined);
};

/** Creates the route of speech in the shape of the OpenAI API, over the engines of `/tts`. */
export const createSpeechRoute = (spools: Spools): Route => ({
  method: 'POST',
  path: OPENAI_PATHS.speech,
  access: 'speech',
  stage: 'tts',
  timeoutMs: 180_000,
  failures: { unreachable: 500 },
  handle: async (context) => {
    const { input, voices } = await readSpeechRequest(
      context,
      speechRequest,
      (given) => given.input,
    );
    const { account } = context;
    // Each question reads the key from the database, so it is asked once for an engine.
    const engines = [...new Set(voices.map(({ offer }) => offer.name))];
    const mayUse = new Set(engines.filter((name) => account.allowsVoicesOf(name)));
    const allowed = voices.filter(({ offer }) => mayUse.has(offer.name));
    const found =
      findVoice(allowed, input.voice, input.input) ?? findVoice(voices, input.voice, input.input);
    if (!found)
      throw new ContractError(
        'ErrVoiceNotFound',
        'voice is no id or name of GET /tts/voices, and no language.',
      );
    const { voice, offer } = found;
    account.checkVoicesOf(offer.name);
    const format = FORMATS[input.response_format];
    if (!format || !voice.formats.includes(format))
      throw new ContractError(
        'ErrUnsupportedFormat',
        'response_format must be mp3, opus, flac, wav or pcm.',
      );
    return speechReply(
      {
        engine: offer.engine,
        voiceId: voice.id,
        text: input.input,
        temperature: undefined,
        speed: input.speed,
        format,
        sampleRateHz: sampleRateFor(voice, undefined),
        stream: voice.streaming && streamable(format),
      },
      { offer, spools },
      context,
    );
  },
});
