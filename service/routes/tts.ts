import { PATHS, ttsRequest } from '../../src/api/contract.ts';
import type { Route } from '../route.ts';
import {
  AUDIO_REPLY,
  speechReply,
  chooseVoice,
  readSpeechRequest,
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
    const { voice, offer, sampleRateHz } = chooseVoice(voices, input, context.account);
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
