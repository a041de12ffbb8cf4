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
import { EVENT_STREAM, eventOf } from '../../respond.ts';
import type { Route } from '../../route.ts';
import {
  AUDIO_REPLY,
  speechReply,
  readSpeechRequest,
  sampleRateFor,
  speedFields,
} from '../../speech/request.ts';
import type { Spools } from '../../speech/spool.ts';
import { OPENAI_PATHS } from '../lists.ts';

/** Voices of that API, some of which are also codes or names of languages. */
const WELL_KNOWN =
  /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/i;

/** A whole language code, not the beginning of a voice's name such as `af_heart` or `en-US-JennyNeural`. */
const CODE = /^[a-z]{2,3}(?:[-_](?:hans|hant|latn|cyrl))?(?:[-_](?:[a-z]{2}|\d{3}))?$/i;
const JOINED = /[-_]/;

/** Longest `instructions`, in UTF-16 units, as in that API. */
const MOST_INSTRUCTIONS = 4_096;

/** Formats by their names in that API; there is no encoder of AAC that is small and well kept. */
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
  instructions: z.string().max(MOST_INSTRUCTIONS).optional(),
  stream_format: z.enum(['audio', 'sse']).optional(),
});

/** Yields audio as the events of that API. */
async function* audioEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body)
    yield eventOf({ type: 'speech.audio.delta', audio: Buffer.from(part).toString('base64') });
  yield eventOf({ type: 'speech.audio.done' });
}

const speaks = (voice: Voice, language: string): boolean =>
  languagesInWords(voice.language).some((one) => sameLanguage(one, language));

/** The language that a voice is asked for by, as a whole code or a name. */
const languageNamed = (named: string): string | undefined =>
  WELL_KNOWN.test(named) || (JOINED.test(named) && !CODE.test(named))
    ? undefined
    : findLanguage(named);

/**
 * Finds a voice by its name or a language; for any other name, such as those of other services, one
 * of the text's language. Undefined where no voice speaks a language that was asked for.
 */
const findVoice = <V extends { readonly voice: Voice }>(
  known: readonly V[],
  named: string,
  text: string,
): V | undefined => {
  const name = named.toLowerCase();
  const own = known.find(({ voice }) => voice.name?.toLowerCase() === name);
  if (own) return own;
  const asked = languageNamed(named);
  const language = asked ?? detectLanguage(text)?.language ?? 'en';
  const speaking = known.find(({ voice }) => speaks(voice, language));
  return speaking ?? (asked === undefined ? known[0] : undefined);
};

/** Creates the route of speech in the shape of the OpenAI API, over the engines of `/tts`. */
export const createSpeechRoute = (spools: Spools): Route => ({
  method: 'POST',
  path: OPENAI_PATHS.speech,
  summary: 'Speech of a text, in the form of the OpenAI API.',
  body: { 'application/json': speechRequest },
  reply: { ...AUDIO_REPLY, 'text/event-stream': undefined },
  access: 'speech',
  stage: 'tts',
  timeoutMs: 180_000,
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
    // A voice that is named by its id is no other one, also where the key may not use it.
    const id = input.voice.toLowerCase();
    const found =
      voices.find(({ voice }) => voice.id === id) ??
      findVoice(allowed, input.voice, input.input) ??
      findVoice(voices, input.voice, input.input);
    if (!found)
      throw new ContractError(
        'ErrVoiceNotFound',
        'voice is a language that none of GET /tts/voices speaks.',
      );
    const { voice, offer } = found;
    account.checkVoicesOf(offer.name);
    const format = FORMATS[input.response_format];
    if (!format || !voice.formats.includes(format))
      throw new ContractError(
        'ErrUnsupportedFormat',
        'response_format must be mp3, opus, flac, wav or pcm.',
      );
    const reply = await speechReply(
      {
        engine: offer.engine,
        voiceId: voice.id,
        text: input.input,
        instructions: input.instructions,
        speed: input.speed,
        format,
        sampleRateHz: sampleRateFor(voice, undefined),
        stream: voice.streaming && streamable(format),
      },
      { offer, spools },
      context,
    );
    return input.stream_format === 'sse' && reply.body
      ? new Response(ReadableStream.from(audioEvents(reply.body)), { headers: EVENT_STREAM })
      : reply;
  },
});
