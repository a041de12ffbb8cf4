import { expect } from 'vitest';
import { voice } from '../../src/api/contract.ts';
import { AUDIO_FORMATS } from '../../src/model/message.ts';
import type { Sound, SpeechEngine } from '../../service/engine.ts';
import type { Contract } from './contract.ts';

const signal = new AbortController().signal;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TEXT = 'Hello there.';

const firstVoice = async (port: SpeechEngine): Promise<string> => {
  const [first] = await port.voices(signal);
  if (!first) throw new Error('there is no voice');
  return first.id;
};

export const samplesOf = async (sound: Sound): Promise<Float32Array> => {
  const all: number[] = [];
  for await (const samples of sound.pcm) all.push(...samples);
  return Float32Array.from(all);
};

export const speechEngineContract: Contract<SpeechEngine> = {
  'lists voices as the contract describes them': async (port) => {
    const voices = await port.voices(signal);
    expect(voices.length).toBeGreaterThan(0);
    for (const one of voices) {
      expect(voice.parse(one)).toEqual(one);
      expect(one.id).toMatch(UUID);
      expect(one.description).not.toBe('');
      expect(['Male', 'Female', 'Neutral']).toContain(one.gender);
      expect(AUDIO_FORMATS).toEqual(expect.arrayContaining(one.formats));
      expect(one.sample_rates.length).toBeGreaterThan(0);
    }
    expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
  },
  'gives a voice the same id each time': async (port) => {
    expect(await port.voices(signal)).toEqual(await port.voices(signal));
  },
  'makes sound that can be heard and does not clip': async (port) => {
    const sound = await port.speak(
      { voiceId: await firstVoice(port), text: TEXT, speed: 1 },
      signal,
    );
    expect(sound.sampleRateHz).toBeGreaterThanOrEqual(8_000);
    const samples = await samplesOf(sound);
    expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
    expect(samples.some((sample) => Math.abs(sample) > 0.01)).toBe(true);
  },
  'speaks as fast as it is asked to': async (port) => {
    const voiceId = await firstVoice(port);
    const lengthAt = async (speed: number): Promise<number> => {
      const sound = await port.speak({ voiceId, text: TEXT, speed }, signal);
      return (await samplesOf(sound)).length;
    };
    expect(await lengthAt(0.5)).toBeGreaterThan(1.4 * (await lengthAt(1)));
    expect(await lengthAt(2)).toBeLessThan(0.8 * (await lengthAt(1)));
  },
  'refuses a voice that it does not have': async (port) => {
    const speech = port.speak({ voiceId: 'nobody', text: TEXT, speed: 1 }, signal);
    await expect(speech).rejects.toMatchObject({ code: 'not-found' });
  },
  'does not speak for somebody who has left': async (port) => {
    const voiceId = await firstVoice(port);
    await expect(
      port.speak({ voiceId, text: TEXT, speed: 1 }, AbortSignal.abort()),
    ).rejects.toThrow();
  },
};
