import { pino } from 'pino';
import type { Voice } from '../../src/api/contract.ts';
import { OPUS_CLOCK_HZ } from '../../src/audio/opus/packet.ts';
import { resample } from '../../src/audio/resample.ts';
import { APPLICATION, encodePackets, type OpusEncoding } from '../../test/fakes/opus.ts';
import { createEngine } from '../../service/engines/espeak-ng.ts';

/** Speech for the benchmarks of voice: made by eSpeak NG, encoded by libopus. */

export const PACKET_SAMPLES: number = OPUS_CLOCK_HZ / 50;

/**
 * `hybrid`: as voice clients encode speech, whose packets tell whether they are voice. `celt`: as those
 * do that are tuned for music; nothing is known of such a packet without decoding it.
 */
export type OpusKind = 'hybrid' | 'celt';

const ENCODERS: Readonly<Record<OpusKind, OpusEncoding>> = {
  hybrid: { application: APPLICATION.voip, bitrate: 40_000 },
  celt: { application: APPLICATION.lowDelay, bitrate: 64_000 },
};

export interface Speech {
  /** Mono at 48 kHz, without silence at its ends. */
  readonly sound: Float32Array;
  readonly durationMs: number;
}

export interface Synthesiser extends AsyncDisposable {
  /** @param language as voices name it: `Spanish (Spain)` */
  say(text: string, language: string, gender?: Voice['gender']): Promise<Speech>;
}

/** Quieter than this is no speech. */
const SILENT = 0.01;

/** Sounds one after the other. */
export const joined = (parts: readonly Float32Array[]): Float32Array => {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

const isLoud = (sample: number): boolean => Math.abs(sample) > SILENT;

const trimmed = (sound: Float32Array): Float32Array =>
  sound.slice(sound.findIndex(isLoud), sound.findLastIndex(isLoud) + 1);

const { signal } = new AbortController();

export const openSynthesiser = async (): Promise<Synthesiser> => {
  const engine = createEngine({ config: {} as never, log: pino({ level: 'silent' }) });
  const { speech } = await engine.abilities();
  if (!speech) throw new Error(engine.remedy({ ability: 'speech' }));
  const voices = await speech.voices(signal);
  return {
    say: async (text, language, gender = 'Male') => {
      const voice = voices.find(
        (one) => one.language.startsWith(`${language},`) && one.gender === gender,
      );
      if (!voice) throw new Error(`no voice of ${language}`);
      const { sampleRateHz, pcm } = await speech.speak(
        { voiceId: voice.id, text, speed: 1 },
        signal,
      );
      const parts = await Array.fromAsync(resample(pcm, sampleRateHz, OPUS_CLOCK_HZ));
      const sound = trimmed(joined(parts));
      return { sound, durationMs: (sound.length * 1_000) / OPUS_CLOCK_HZ };
    },
    [Symbol.asyncDispose]: async () => engine[Symbol.asyncDispose](),
  };
};

/** Packets of 20 ms; the end is filled up with silence. */
export const encodeOpus = (sound: Float32Array, kind: OpusKind): Buffer[] => {
  const filled = new Float32Array(Math.ceil(sound.length / PACKET_SAMPLES) * PACKET_SAMPLES);
  filled.set(sound);
  return encodePackets(filled, ENCODERS[kind]).map((packet) => Buffer.from(packet));
};
