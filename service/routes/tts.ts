import { PATHS, ttsRequest } from '../../src/api/contract.ts';
import { ContractError } from '../errors.ts';
import type { Route } from '../route.ts';
import { speechReply } from '../speech/reply.ts';
import { checkFormat, readSpeechRequest, sampleRateFor } from '../speech/request.ts';
import { createSpools, SPOOL_LIMITS } from '../speech/spool.ts';

/** Creates the route of contract section 4.2. */
export const createTts = (spools = createSpools(SPOOL_LIMITS)): Route => ({
  method: 'POST',
  path: PATHS.tts,
  purpose: 'speech',
  stage: 'tts',
  timeoutMs: 180_000,
  failures: { unreachable: 500 },
  handle: async (context) => {
    const { input, voices } = await readSpeechRequest(context, ttsRequest, ({ text }) => text);
    const found = voices.find(({ voice }) => voice.id === input.voice_id.toLowerCase());
    if (!found)
      throw new ContractError('ErrVoiceNotFound', `voice_id is not one of GET ${PATHS.voices}.`);
    const { voice, offer } = found;
    context.account.checkVoicesOf(offer.name);
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
      { offer, spools },
      context,
    );
  },
});
