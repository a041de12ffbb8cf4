import { expect } from 'vitest';
import type { Contract } from '../contract.ts';
import { ask, expectTaken, speak, voicesOf, voiceThat, type ServiceSubject } from './target.ts';
import { PATHS } from '../../../src/api/contract.ts';
import { AUDIO_FORMATS } from '../../../src/model/message.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const VOICE_ROWS = {
  '2.1 voice, id: a UUID that speech takes': async (subject) => {
    const voices = await voicesOf(subject);
    for (const { id } of voices) expect(id).toMatch(UUID);
    expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
    await expectTaken([voices[0]?.id], async (id) => speak(subject, { voice_id: id }));
  },
  '2.1 voice, description: a text for people': async (subject) => {
    for (const { description } of await voicesOf(subject)) expect(description).toMatch(/\S/);
  },
  '2.1 voice, language: a text': async (subject) => {
    for (const { language } of await voicesOf(subject)) expect(language).toMatch(/\S/);
  },
  '2.1 voice, gender: Male, Female or Neutral': async (subject) => {
    for (const { gender } of await voicesOf(subject))
      expect(['Male', 'Female', 'Neutral']).toContain(gender);
  },
  '2.1 voice, formats: those in which the voice speaks': async (subject) => {
    for (const { formats } of await voicesOf(subject)) {
      expect(formats.length).toBeGreaterThan(0);
      expect(AUDIO_FORMATS).toEqual(expect.arrayContaining(formats));
    }
    const { id, formats } = await voiceThat(subject, () => true);
    await expectTaken(formats, async (format) => speak(subject, { voice_id: id, format }));
  },
  '2.1 voice, sample_rates: whole numbers of Hz at which the voice speaks': async (subject) => {
    for (const { sample_rates: rates } of await voicesOf(subject)) {
      expect(rates.length).toBeGreaterThan(0);
      for (const rate of rates) expect(rate).toSatisfy(Number.isInteger);
    }
    const { id, sample_rates: rates } = await voiceThat(
      subject,
      (voice) => voice.sample_rates.length > 1,
    );
    await expectTaken(rates, async (rate) =>
      speak(subject, { voice_id: id, format: 'wav', sample_rate: rate }),
    );
  },
  '2.1 voice, streaming: true where at least one format can be streamed': async (subject) => {
    for (const { streaming } of await voicesOf(subject)) expect(streaming).toBeTypeOf('boolean');
    const { id, formats } = await voiceThat(subject, (voice) => voice.streaming);
    const answers = await Promise.all(
      formats.map(async (format) => speak(subject, { voice_id: id, format, stream: true })),
    );
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  },
} satisfies Contract<ServiceSubject>;

export const VOICE_RULES = {
  '4.3 GET /tts/voices: a JSON object with the one key voices': async (subject) => {
    const { status, mediaType, json } = await ask(subject, PATHS.voices);
    expect({ status, mediaType, keys: Object.keys(json) }).toEqual({
      status: 200,
      mediaType: 'application/json',
      keys: ['voices'],
    });
  },
} satisfies Contract<ServiceSubject>;
