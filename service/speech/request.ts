import { z } from 'zod';
import {
  PATHS,
  SERVICE_LIMITS,
  type TtsRequest,
  type Voice,
  MEDIA_TYPES,
} from '../../src/api/contract.ts';
import { streamable } from '../../src/audio/codec/encode.ts';
import { countCodePoints, isBlank } from '../../src/text/unicode.ts';
import { readJson } from '../body.ts';
import { ContractError, invalidParameter } from '../errors.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { RouteContext } from '../route.ts';
import { primed, streamReply } from '../respond.ts';
import { speechBytes, synthesise, type SynthesiseDeps, type SpeechFile } from './synthesise.ts';
import type { SpeechOrder } from './speak.ts';
import type { Engines, Offer } from '../engine-loader.ts';

interface OfferedVoice {
  readonly voice: Voice;
  readonly offer: Offer<'speech'>;
}

/** Lists every voice with its engine, in the engines' order. Throws the contract's 404 for none. */
export const allVoices = async (
  engines: Engines,
  signal: AbortSignal,
): Promise<readonly OfferedVoice[]> => {
  const offers = await engines.offers('speech');
  const lists = await Promise.allSettled(offers.map(async ({ engine }) => engine.voices(signal)));
  const [first] = lists;
  // One failing engine does not hide the voices of the others.
  if (first?.status === 'rejected' && lists.every(({ status }) => status === 'rejected'))
    throw first.reason;
  const voices = offers.flatMap((offer, index) => {
    const list = lists[index];
    return list?.status === 'fulfilled' ? list.value.map((voice) => ({ voice, offer })) : [];
  });
  if (voices.length === 0) throw engines.missing({ ability: 'speech' });
  return voices;
};

/**
 * Fields beside the contract: the speed of a voice, 1 being its own, which all engines keep to within
 * these bounds; and a name of it that would otherwise be ignored like any unknown field.
 */
export const speedFields = {
  speed: z.number().min(0.5).max(2).default(1),
  rate: z.never({ error: 'is no field; use speed, from 0.5 to 2' }).optional(),
};

/** Media types of replies with speech, as a path is described. */
export const AUDIO_REPLY: Readonly<Record<string, undefined>> = Object.fromEntries(
  Object.values(MEDIA_TYPES).map((type) => [type, undefined]),
);

/** Most bytes of a character: JSON may write each half of a surrogate pair in six. */
const BYTES_PER_CHARACTER = 12;
const OTHER_FIELDS_BYTES = 16 * 1024;

/** Sample rate for this voice and the requested `sample_rate`; section 4.2. */
export const sampleRateFor = (voice: Voice, wished: number | undefined): number => {
  const rates = voice.sample_rates;
  if (wished) {
    if (rates.length > 1 && rates.includes(wished)) return wished;
    throw new ContractError(
      'ErrUnsupportedSampleRate',
      rates.length > 1
        ? `Unsupported sample_rate: this voice has ${rates.join(', ')} Hz.`
        : 'Unsupported sample_rate: this voice has one rate only; leave sample_rate out.',
    );
  }
  return rates.includes(SERVICE_LIMITS.ttsDefaultSampleRateHz)
    ? SERVICE_LIMITS.ttsDefaultSampleRateHz
    : (rates[0] ?? SERVICE_LIMITS.ttsDefaultSampleRateHz);
};

/** Checks that a text can be spoken: its length (contract section 8), and that it has words. */
export const checkText = (text: string, limit: number): void => {
  if (countCodePoints(text) > limit)
    throw new ContractError('ErrTextTooLong', `text is over ${limit} characters.`);
  if (isBlank(text)) throw invalidParameter('Invalid parameter: text has nothing to speak');
};

/** Checks that a voice has a format, and streams it where that is asked (section 7.1). */
const checkFormat = (
  voice: Voice,
  { format, stream }: Pick<TtsRequest, 'format' | 'stream'>,
): void => {
  if (!voice.formats.includes(format))
    throw new ContractError(
      'ErrUnsupportedFormat',
      `format ${format} is not supported by this voice, which has ${voice.formats.join(', ')}.`,
    );
  if (stream && !(voice.streaming && streamable(format)))
    throw new ContractError(
      'ErrStreamingNotSupported',
      `Streaming is not supported for ${format} with this voice.`,
    );
};

/**
 * Finds a voice by its ID, for an order of its sound. Throws where there is none, or it has another format or rate,
 * and the contract's 403 where a key may not use it.
 */
export const chooseVoice = (
  voices: readonly OfferedVoice[],
  wished: Pick<TtsRequest, 'voice_id' | 'format' | 'stream' | 'sample_rate'>,
  account: Pick<KeyAccount, 'checkVoicesOf'>,
) => {
  const found = voices.find(({ voice }) => voice.id === wished.voice_id.toLowerCase());
  if (!found)
    throw new ContractError('ErrVoiceNotFound', `voice_id is not one of GET ${PATHS.voices}.`);
  const { voice, offer } = found;
  account.checkVoicesOf(offer.name);
  checkFormat(voice, wished);
  const sampleRateHz = sampleRateFor(voice, wished.sample_rate);
  const { engine } = offer;
  return { offer, order: { engine, voiceId: voice.id, format: wished.format, sampleRateHz } };
};

/** Reads a request for speech, whose text is checked, and the voices that there are. */
export const readSpeechRequest = async <Input>(
  context: RouteContext,
  schema: z.ZodType<Input>,
  textOf: (input: Input) => string,
): Promise<{ readonly input: Input; readonly voices: readonly OfferedVoice[] }> => {
  const limit = context.config.SERVICE_TTS_TEXT_LIMIT;
  const bytes = BYTES_PER_CHARACTER * limit + OTHER_FIELDS_BYTES;
  const input = await readJson(schema, context, { bytes, named: 'ErrTextTooLong' });
  checkText(textOf(input), limit);
  return { input, voices: await allVoices(context.engines, context.signal) };
};

/** Time for the next part and for a listener who stops, beside twice the length of the audio. */
const GRACE_MS = 180_000;

type ReplyContext = Pick<RouteContext, 'account' | 'log' | 'signal' | 'cutOff' | 'allowMs'>;

/** The bytes of a reply; ends what made them, and gives the spools back, in any case. */
async function* replyOf(
  file: SpeechFile,
  signal: AbortSignal,
  held: AsyncDisposable,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* speechBytes(file, signal);
  } finally {
    await held[Symbol.asyncDispose]();
  }
}

/**
 * Answers with speech. The engine's time does not depend on the client: audio waits for it in a
 * spool. The client has twice the length of the audio, and some minutes, to take it.
 */
export const speechReply = async (
  order: SpeechOrder,
  { offer, spools }: Pick<SynthesiseDeps, 'offer' | 'spools'>,
  { account, log, signal, cutOff, allowMs }: ReplyContext,
): Promise<Response> => {
  await using held = new AsyncDisposableStack();
  const onAudio = (audioMs: number): void => allowMs(GRACE_MS + 2 * audioMs);
  const speech = held.use(synthesise(order, { offer, spools, account, signal, onAudio }));

  const headers = { 'content-type': MEDIA_TYPES[order.format] };
  const send = { log, signal, cutOff };
  if (order.stream) {
    const body = await primed(replyOf(speech, signal, held.move()));
    return streamReply(body, headers, send);
  }
  const file = await speech.file();
  const sizeBytes = (file.head ?? []).reduce((sum, part) => sum + part.length, file.spool.bytes);
  const body = await primed(replyOf(file, signal, held.move()));
  return streamReply(body, { ...headers, 'content-length': String(sizeBytes) }, send);
};
