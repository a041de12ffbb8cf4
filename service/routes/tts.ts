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
    const { offer, order } = chooseVoice(voices, input, context.account);
    const { text, temperature, speed, stream = false } = input;
    const asked = { ...order, text, temperature, speed, stream };
    return speechReply(asked, { offer, spools }, context);
  },
});
