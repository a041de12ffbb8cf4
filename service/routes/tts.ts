import {
  SERVICE_LIMITS,
  PATHS,
  ttsRequest,
  type TtsRequest,
  type Voice,
} from '../../src/api/contract.ts';
import { streamable } from '../../src/audio/codec/encode.ts';
import { parseBody, readBody, validate } from '../body.ts';
import { ContractError } from '../errors.ts';
import type { Route } from '../route.ts';
import { speechReply } from '../speech/reply.ts';
import { createSpools, SPOOL_LIMITS } from '../speech/spool.ts';
import { countCodePoints, isBlank } from '../../src/text/unicode.ts';
import { allVoices } from './voices.ts';

/** Most bytes of a character: JSON may write each half of a surrogate pair in six. */
export const BYTES_PER_CHARACTER = 12;
export const OTHER_FIELDS_BYTES = 16 * 1024;

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

/** Checks the length of a text to speak. */
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

/** Creates the route of contract section 4.2. */
export const createTts = (spools = createSpools(SPOOL_LIMITS)): Route => ({
  method: 'POST',
  path: PATHS.tts,
  stage: 'tts',
  timeoutMs: 180_000,
  failures: { unreachable: 500 },
  handle: async (context) => {
    const { request, engines, config, signal } = context;
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

    return speechReply(
      {
        engine: offer.engine,
        voiceId: voice.id,
        text: input.text,
        temperature: input.temperature,
        format: input.format,
        sampleRateHz,
        stream: input.stream ?? false,
      },
      offer.limiter,
      spools,
      context,
    );
  },
});
