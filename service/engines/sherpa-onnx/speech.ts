import { AppError } from '../../../src/errors.ts';
import type { SpeechEngine } from '../../engine.ts';
import { phrasesOf } from '../../phrases.ts';
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
    const child = children.of(speaker.config);
    const say = async (phrase: string): Promise<VoiceReply> =>
      child.call({ text: phrase, speaker: speaker.speaker }, signal);
    const [first = text, ...rest] = phrasesOf(text);
    const start = await say(first);
    return {
      sampleRateHz: start.sampleRateHz,
      pcm: (async function* () {
        yield limited(start.samples);
        for (const phrase of rest) yield limited((await say(phrase)).samples);
      })(),
    };
  },
});
