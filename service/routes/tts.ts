import { PATHS, ttsRequest } from '../../src/api/contract.ts';
import type { Route } from '../route.ts';
import {
  AUDIO_REPLY,
  speechReply,
  checkFormat,
  findAllowedVoice,
  readSpeechRequest,
  sampleRateFor,
  speedFields,
} from '../speech/request.ts';
import type { Spools } from '../speech/spool.ts';

const speakRequest = ttsRequest.extend(speedFields);

/** Creates the route of contract section 4.2. */
export const createTts = (spools: Spools): Route => ({
  method: 'POST',
  path: PATHS.tts,
  summary: 'Speech of a text.',
  body: { 'application/json': speakRequest },
  reply: AUDIO_REPLY,
  access: 'speech',
  stage: 'tts',
  timeoutMs: 180_000,
  handle: async (context) => {
    const { input, voices } = await readSpeechRequest(context, speakRequest, ({ text }) => text);
    const { voice, offer } = findAllowedVoice(voices, input.voice_id, context.account);
    checkFormat(voice, input);
    const sampleRateHz = sampleRateFor(voice, input.sample_rate);

    return speechReply(
      {
        engine: offer.engine,
        voiceId: voice.id,
        text: input.text,
        temperature: input.temperature,
        speed: input.speed,
        format: input.format,
        sampleRateHz,
        stream: input.stream ?? false,
      },
      { offer, spools },
      context,
    );
  },
});
