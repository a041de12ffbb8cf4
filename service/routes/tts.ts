import {
  SERVICE_LIMITS,
  MEDIA_TYPES,
  PATHS,
  ttsRequest,
  type TtsRequest,
  type Voice,
} from '../../src/api/contract.ts';
import { encode, streamable } from '../../src/audio/codec/encode.ts';
import { resample } from '../../src/audio/resample.ts';
import { parseBody, readBody, validate } from '../body.ts';
import { ContractError } from '../errors.ts';
import { holding, primed, streamReply } from '../respond.ts';
import type { Route } from '../route.ts';
import { countCodePoints, isBlank } from '../../src/text/unicode.ts';
import { allVoices } from './voices.ts';

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

export const checkText = (text: string, limit: number): void => {
  if (countCodePoints(text) > limit)
    throw new ContractError('ErrTextTooLong', `text is over ${limit} characters.`);
  if (isBlank(text))
    throw new ContractError('ErrInvalidParameter', 'Invalid parameter: text has nothing to speak');
};

export const checkFormat = (
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

/** Yields chunks one by one: joining them would copy up to 60 MB at once. */
async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Route of contract section 4.2. */
export const tts: Route = {
  method: 'POST',
  path: PATHS.tts,
  stage: 'tts',
  timeoutMs: 180_000,
  failures: { unreachable: 500 },
  handle: async ({ request, engines, config, log, signal, cutOff }) => {
    const limit = config.SERVICE_TTS_TEXT_LIMIT;
    const bytes = await readBody(
      request,
      { bytes: BYTES_PER_CHARACTER * limit + OTHER_FIELDS_BYTES, named: 'ErrTextTooLong' },
      signal,
    );
    const input = validate(ttsRequest, parseBody(bytes.toString('utf8')));
    checkText(input.text, limit);
    const known = await allVoices(engines, signal);
    if (known.length === 0) throw engines.missing({ ability: 'speech' });
    const found = known.find(({ voice }) => voice.id === input.voice_id.toLowerCase());
    if (!found)
      throw new ContractError('ErrVoiceNotFound', `voice_id is not one of GET ${PATHS.voices}.`);
    const { voice, offer } = found;
    checkFormat(voice, input);
    const sampleRateHz = sampleRateFor(voice, input.sample_rate);

    const permit = await offer.limiter.acquire(signal);
    const speech = (async function* () {
      const sound = await offer.engine.speak(
        {
          voiceId: voice.id,
          text: input.text,
          ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
        },
        signal,
      );
      yield* encode(
        input.format,
        sampleRateHz,
        resample(sound.pcm, sound.sampleRateHz, sampleRateHz),
      );
    })();
    const audio = await primed(holding(permit, speech));
    const headers = { 'content-type': MEDIA_TYPES[input.format] };
    if (input.stream) return streamReply(audio, headers, { log, signal, cutOff });
    const chunks: Uint8Array[] = [];
    for await (const chunk of audio) chunks.push(chunk);
    const size = chunks.reduce((total, chunk) => total + chunk.length, 0);
    return streamReply(
      each(chunks),
      { ...headers, 'content-length': String(size) },
      { log, signal, cutOff },
    );
  },
};
