import { expect } from 'vitest';
import { MEDIA_TYPES } from '../../../src/api/contract.ts';
import { sniff } from '../../../src/audio/container/sniff.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../../src/model/message.ts';
import type { Contract } from '../contract.ts';
import { expectError, expectRefused, speak, voiceThat, type ServiceSubject } from './target.ts';

const UNKNOWN_VOICE = '00000000-0000-4000-8000-000000000000';
const CONTAINERS: Readonly<Record<AudioFormat, string | undefined>> = {
  mp3: 'mp3',
  wav: 'wav',
  ogg: 'ogg-opus',
  flac: 'flac',
  pcm: undefined,
};
const WRONG_TEXTS = [undefined, null, 7, '', ['a']];
const RATE_AT = 24;

/** The rate that the header of a WAV file names. */
const rateOf = (wav: Buffer): number => wav.readUInt32LE(RATE_AT);

export const SPEECH_ROWS = {
  '4.2 POST /tts, voice_id: needed, an id of the voice list': async (subject) => {
    const wrong = [undefined, null, 7, 'Ada', '', UNKNOWN_VOICE];
    await expectRefused(wrong, async (id) => speak(subject, { voice_id: id }));
  },
  '4.2 POST /tts, text: needed, the text to speak': async (subject) => {
    expect((await speak(subject, { text: 'Ünï😀.' })).status).toBe(200);
    await expectRefused(WRONG_TEXTS, async (text) => speak(subject, { text }));
  },
  '4.2 POST /tts, format: needed, one of the five and one of the voice': async (subject) => {
    for (const format of AUDIO_FORMATS) {
      const { status, body } = await speak(subject, { format });
      expect({ status, format: sniff(body) }).toEqual({ status: 200, format: CONTAINERS[format] });
    }
    const wrong = [undefined, null, 1, 'aac', 'MP3', ''];
    await expectRefused(wrong, async (format) => speak(subject, { format }));
    const { id } = await voiceThat(subject, ({ formats }) => !formats.includes('ogg'));
    expectError(await speak(subject, { voice_id: id, format: 'ogg' }), 400);
  },
  '4.2 POST /tts, stream: false by default, true where voice and format can': async (subject) => {
    const whole = await speak(subject, { format: 'pcm' });
    const notStreamed = await speak(subject, { format: 'pcm', stream: false });
    const inParts = await speak(subject, { format: 'pcm', stream: true });
    expect(notStreamed.body.equals(whole.body)).toBe(true);
    expect(inParts.headers.get('content-length')).toBeNull();
    expect(inParts.body.length).toBe(whole.body.length);
    await expectRefused(['true', 1], async (stream) => speak(subject, { stream }));
    const { id } = await voiceThat(subject, ({ streaming }) => !streaming);
    expectError(await speak(subject, { voice_id: id, stream: true }), 400);
  },
  '4.2 POST /tts, sample_rate: 24,000 Hz if 0 or left out, others where listed': async (
    subject,
  ) => {
    for (const rate of [undefined, 0])
      expect(rateOf((await speak(subject, { format: 'wav', sample_rate: rate })).body)).toBe(
        24_000,
      );
    const many = await voiceThat(subject, (voice) => voice.sample_rates.length > 1);
    const other = many.sample_rates.find((rate) => rate !== 24_000);
    const asked = { voice_id: many.id, format: 'wav', sample_rate: other };
    expect(rateOf((await speak(subject, asked)).body)).toBe(other);
    await expectRefused([12_345, -1, 24_000.5, '24000'], async (rate) =>
      speak(subject, { voice_id: many.id, sample_rate: rate }),
    );
    const one = await voiceThat(subject, (voice) => voice.sample_rates.length === 1);
    expectError(await speak(subject, { voice_id: one.id, sample_rate: 24_000 }), 400);
  },
  '4.2 POST /tts, temperature: a number, without effect on most voices': async (subject) => {
    expect((await speak(subject, { temperature: 0.5 })).status).toBe(200);
    await expectRefused(['0.5', true], async (value) => speak(subject, { temperature: value }));
  },
} satisfies Contract<ServiceSubject>;

export const SPEECH_RULES = {
  '4.2 reply: the audio file itself with its media type': async (subject) => {
    for (const format of AUDIO_FORMATS) {
      const { mediaType, body } = await speak(subject, { format });
      expect(mediaType).toBe(MEDIA_TYPES[format]);
      expect(body.length).toBeGreaterThan(100);
    }
    expect(MEDIA_TYPES.mp3).toBe('audio/mpeg');
  },
} satisfies Contract<ServiceSubject>;

export const SPEECH_ERROR_ROWS = {
  '7.1 speech, 400: a parameter that is missing or invalid': async (subject) => {
    for (const name of ['voice_id', 'text', 'format'])
      expectError(await speak(subject, { [name]: undefined }), 400);
  },
  '7.1 speech, 400: a format that the voice does not have': async (subject) => {
    const { id } = await voiceThat(subject, ({ formats }) => !formats.includes('flac'));
    expectError(await speak(subject, { voice_id: id, format: 'flac' }), 400);
  },
  '7.1 speech, 400: a stream of a format that cannot be streamed': async (subject) => {
    const { id } = await voiceThat(subject, ({ streaming }) => streaming);
    expectError(await speak(subject, { voice_id: id, format: 'flac', stream: true }), 400);
  },
  '7.1 speech, 400: a sample rate that is not supported': async (subject) => {
    expectError(await speak(subject, { sample_rate: 11_111 }), 400);
  },
  '7.1 speech, 400: a text over the maximum': async (subject) => {
    expectError(await speak(subject, { text: 'a'.repeat(5_001) }), 400);
  },
  '7.1 speech, 401: no API key, or an invalid one': async ({ url }) => {
    expectError(await speak({ url, key: 'svck:nobody' }, { voice_id: UNKNOWN_VOICE }), 401);
  },
  '7.1 speech, 403: a key without the provider of the voice': async (subject) => {
    const { id } = await voiceThat(subject, () => true);
    const poor = await subject.when('key without a provider of speech', '/tts');
    expectError(await speak(poor, { voice_id: id }), 403);
  },
  '7.1 speech, 404: no service or provider registered': async (subject) => {
    const empty = await subject.when('nothing registered', '/tts');
    expectError(await speak(empty, { voice_id: UNKNOWN_VOICE }), 404);
  },
  '7.1 speech, 429: too many requests': async (subject) => {
    const { id } = await voiceThat(subject, ({ streaming }) => streaming);
    const busy = await subject.when('busy back end', '/tts');
    expectError(await speak(busy, { voice_id: id }), 429);
  },
  '7.1 speech, 500: an internal error': async (subject) => {
    const faulty = await subject.when('internal failure', '/tts');
    const { id } = await voiceThat(faulty, () => true);
    expectError(await speak(faulty, { voice_id: id }), 500);
  },
} satisfies Contract<ServiceSubject>;
