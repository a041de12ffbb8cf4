import { AppError } from '../../../src/errors.ts';
import type { SpeechEngine } from '../../engine.ts';
import type { Children } from './children.ts';
import type { VoiceConfig } from './voice-model.ts';
import type { VoiceReply, VoiceRequest } from './voice-worker.ts';
import type { InstalledVoice } from './voices.ts';

export interface InstalledSpeaker extends InstalledVoice {
  readonly config: VoiceConfig;
}

/** Keeps samples within -1 to 1: models go a little beyond. */
const limited = (samples: Float32Array): Float32Array =>
  samples.map((sample) => Math.max(-1, Math.min(1, sample)));

/** Speech with the installed voices. */
export const createSherpaSpeech = (
  speakers: readonly InstalledSpeaker[],
  children: Children<VoiceRequest, VoiceReply>,
): SpeechEngine => ({
  voices: async () => speakers.map(({ voice }) => voice),
  speak: async ({ voiceId, text }, signal) => {
    const speaker = speakers.find(({ voice }) => voice.id === voiceId);
    if (!speaker) throw new AppError('not-found', 'no such voice');
    const { samples, sampleRateHz } = await children
      .of(speaker.config)
      .call({ text, speaker: speaker.speaker }, signal);
    return {
      sampleRateHz,
      pcm: (async function* () {
        yield limited(samples);
      })(),
    };
  },
});
