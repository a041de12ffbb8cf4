import { beforeEach, describe, expect, it } from 'vitest';
import type { CallOptions } from '../../../src/api/caller.ts';
import type { TtsRequest, Voice } from '../../../src/api/contract.ts';
import { createServiceKey, type ServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import type { Speaker, Speech } from '../../../src/speech/speech.ts';
import { createSpeaker } from '../../../src/speech/speaker.ts';
import { VOICE } from '../../fakes/speech.ts';
import { rich } from '../../fakes/rich-text.ts';
import { serviceKeyOf, ASKER } from '../../fakes/asker.ts';

const signal = new AbortController().signal;
/** A space that brought a key. */
const OWN = { platform: 'p', id: 'own' };
const OWN_KEY = createServiceKey('svck:own', { isOwn: true });
const OPERATORS_KEY = createServiceKey('svck:operators');

/** How a file of each format begins. */
const HEADS = {
  mp3: Buffer.from('ID3 '),
  wav: Buffer.from('RIFF....WAVE '),
  ogg: Buffer.from('OggS....OpusHead '),
  flac: Buffer.from('fLaC '),
  pcm: Buffer.from('pcm '),
};

const voiceOf = (id: string, more: Partial<Voice> = {}): Voice => ({
  ...VOICE,
  id,
  description: `voice ${id}`,
  ...more,
});

let voices: Voice[];
let asked: TtsRequest[];
let listed: number;
/** The keys of all calls. */
let keys: (ServiceKey | undefined)[];
let nowMs: number;
let refuse: (request: TtsRequest) => Error | undefined;
let speaker: Speaker;

beforeEach(() => {
  voices = [VOICE];
  asked = [];
  listed = 0;
  keys = [];
  nowMs = 0;
  refuse = () => undefined;
  speaker = createSpeaker({
    now: () => nowMs,
    client: {
      serviceKeyOf: async (space) => (space.id === OWN.id ? OWN_KEY : OPERATORS_KEY),
      voices: async ({ key }) => {
        keys.push(key);
        listed += 1;
        return voices;
      },
      speak: async (request, { key }) => {
        keys.push(key);
        asked.push(request);
        const error = refuse(request);
        if (error) throw error;
        return (async function* () {
          yield new Uint8Array(0);
          yield HEADS[request.format];
          yield Buffer.from(request.text);
        })();
      },
    },
  });
});

const heard = async (speech: Speech): Promise<string> => {
  return Buffer.concat(await Array.fromAsync(speech.chunks)).toString();
};

const status = (code: number, name = 'Err'): AppError =>
  serviceError(
    code,
    undefined,
    JSON.stringify({ context: [], code, name, error: `the service says ${name}` }),
    createServiceKey('svck:any'),
  );

const ways = (): string[] =>
  asked.map(({ voice_id, format, stream }) => `${voice_id} ${format}${stream ? ' stream' : ''}`);

describe('the voices of a key', () => {
  it('are listed for each key, and what one may not speak another may', async () => {
    const by = (space = ASKER.space) => ({
      ...ASKER,
      space,
      text: 'Hi',
      formats: ['mp3'] as const,
    });
    voices = [voiceOf('a'), voiceOf('b')];
    await speaker.speak(by(), signal);
    await speaker.speak(by(OWN), signal);
    await speaker.voices({}, OWN, signal);
    expect(listed).toBe(2);
    expect(keys).toEqual([OPERATORS_KEY, OPERATORS_KEY, OWN_KEY, OWN_KEY]);
    refuse = ({ voice_id }) => (voice_id === 'a' ? status(403) : undefined);
    await speaker.speak(by(OWN), signal);
    refuse = () => undefined;
    asked = [];
    expect((await speaker.speak(by(OWN), signal)).voice.id).toBe('b');
    expect((await speaker.speak(by(), signal)).voice.id).toBe('a');
  });
});

describe('the choice of a voice', () => {
  beforeEach(() => {
    voices = [
      voiceOf('nl', { language: 'Dutch', gender: 'Male' }),
      voiceOf('both', { language: 'Japanese and English', gender: 'Female' }),
      voiceOf('ja-m', { language: 'ja-JP', gender: 'Male' }),
      voiceOf('en', { language: 'English (US)', gender: 'Female' }),
    ];
  });
  const ids = async (wish: Parameters<Speaker['voices']>[0]): Promise<string[]> =>
    (await speaker.voices(wish, ASKER.space, signal)).map(({ id }) => id);

  it('goes by the words of its language, those that speak only it first', async () => {
    expect(await ids({ language: 'ja' })).toEqual(['ja-m', 'both']);
    expect(await ids({ language: 'en' })).toEqual(['en', 'both']);
    expect(await ids({ language: 'fr' })).toEqual([]);
  });

  it('takes a voice of every language for any', async () => {
    voices.unshift(voiceOf('all', { language: 'Multilingual' }));
    expect(await ids({ language: 'fr' })).toEqual(['all']);
    expect(await ids({ language: 'en' })).toEqual(['all', 'en', 'both']);
  });

  it('goes by gender, unless nobody has it', async () => {
    expect(await ids({ language: 'ja', gender: 'Female' })).toEqual(['both']);
    expect(await ids({ language: 'ja', gender: 'Neutral' })).toEqual(['ja-m', 'both']);
  });

  it('goes by id, or by words of its description', async () => {
    expect(await ids({ named: 'EN' })).toEqual(['en']);
    expect(await ids({ named: 'voice female' })).toEqual(['both', 'en']);
    expect(await ids({ named: 'male' })).toEqual(['nl', 'ja-m']);
    expect(await ids({ named: 'nobody' })).toEqual([]);
    voices.push(voiceOf('named', { description: 'en-GB-SoniaNeural 日本語女性', language: 'x' }));
    nowMs += 3_600_000;
    for (const named of ['en-GB-SoniaNeural', 'en-GB', 'Sonia', '女性', 'voice named (x'.slice(12)])
      expect(await ids({ named }), named).toContain('named');
    expect(await ids({ named: '((' })).toEqual([]);
  });

  it('asks for the list once in a while, however many want it at once', async () => {
    await Promise.all([ids({}), ids({}), ids({})]);
    expect(listed).toBe(1);
    nowMs += 3_600_000;
    await ids({});
    expect(listed).toBe(2);
  });
});

describe('speaking', () => {
  it('makes rich text speakable, and speaks words as they are', async () => {
    const text = '**Hello.** <3';
    expect(await heard(await speaker.speak({ ...ASKER, text: rich(text) }, signal))).toBe(
      'ID3 Hello. red heart',
    );
    expect(await heard(await speaker.speak({ ...ASKER, text }, signal))).toBe(`ID3 ${text}`);
  });

  it('streams where the voice says it can', async () => {
    const speech = await speaker.speak({ ...ASKER, text: 'Hello.' }, signal);
    expect(await heard(speech)).toBe('ID3 Hello.');
    expect(speech).toMatchObject({ format: 'mp3', mediaType: 'audio/mpeg', sampleRateHz: 24_000 });
    expect(ways()).toEqual([`${VOICE.id} mp3 stream`]);
  });

  it('falls back when the streaming flag was a lie, and remembers it', async () => {
    refuse = ({ stream }) => (stream ? status(400, 'ErrStreamingNotSupported') : undefined);
    await speaker.speak({ ...ASKER, text: 'Hello.', formats: ['ogg'] }, signal);
    await speaker.speak({ ...ASKER, text: 'Again.', formats: ['ogg'] }, signal);
    expect(ways()).toEqual([`${VOICE.id} ogg stream`, `${VOICE.id} ogg`, `${VOICE.id} ogg`]);
  });

  it('falls back to the next format when one fails, and tries it again after a while', async () => {
    refuse = ({ format }) => (format === 'pcm' ? status(500, 'ErrBackendUnreachable') : undefined);
    const formats = ['pcm', 'wav'] as const;
    expect((await speaker.speak({ ...ASKER, text: 'Hello.', formats }, signal)).format).toBe('wav');
    asked = [];
    await speaker.speak({ ...ASKER, text: 'Hello.', formats }, signal);
    expect(ways()).toEqual([`${VOICE.id} wav stream`]);
    nowMs += 3_600_000;
    asked = [];
    await speaker.speak({ ...ASKER, text: 'Hello.', formats }, signal);
    expect(ways()[0]).toBe(`${VOICE.id} pcm stream`);
  });

  it('falls back to the next voice when the key may not use one', async () => {
    voices = [voiceOf('closed', { streaming: false, formats: ['mp3'] }), voiceOf('open')];
    refuse = ({ voice_id }) => (voice_id === 'closed' ? status(403) : undefined);
    expect((await speaker.speak({ ...ASKER, text: 'Hello.' }, signal)).voice.id).toBe('open');
  });

  it('does not try other ways when the key is wrong or the service is busy', async () => {
    refuse = () => status(429);
    await expect(speaker.speak({ ...ASKER, text: 'Hello.' }, signal)).rejects.toMatchObject({
      code: 'rate-limited',
    });
    expect(asked).toHaveLength(1);
  });

  it('does not blame a voice for a text that only another one spoke', async () => {
    voices = [voiceOf('best'), voiceOf('second')];
    refuse = ({ voice_id, text }) =>
      voice_id === 'best' && text === 'Much too long.' ? status(400, 'ErrTextTooLong') : undefined;
    expect(
      (await speaker.speak({ ...ASKER, text: 'Much too long.', formats: ['mp3'] }, signal)).voice
        .id,
    ).toBe('second');
    expect(
      (await speaker.speak({ ...ASKER, text: 'Short.', formats: ['mp3'] }, signal)).voice.id,
    ).toBe('best');
  });

  it('remembers no failure when nothing worked, and forgets one when the way works again', async () => {
    const formats = ['pcm', 'wav'] as const;
    refuse = () => status(500);
    await expect(speaker.speak({ ...ASKER, text: 'Hello.', formats }, signal)).rejects.toThrow();
    refuse = () => undefined;
    expect((await speaker.speak({ ...ASKER, text: 'Hello.', formats }, signal)).format).toBe('pcm');
  });

  it('takes a way that failed first again, once it was the only one and worked', async () => {
    refuse = ({ format }) => (format === 'pcm' ? status(500) : undefined);
    await speaker.speak({ ...ASKER, text: 'Hello.', formats: ['pcm', 'wav'] }, signal);
    refuse = () => undefined;
    await speaker.speak({ ...ASKER, text: 'Hello.', formats: ['pcm'] }, signal);
    asked = [];
    await speaker.speak({ ...ASKER, text: 'Hello.', formats: ['pcm', 'wav'] }, signal);
    expect(ways()).toEqual([`${VOICE.id} pcm stream`]);
  });

  it('leaves trying again to the last way, and gives all ways one deadline', async () => {
    voices = [voiceOf('a', { formats: ['mp3'] })];
    const calls: (CallOptions | undefined)[] = [];
    const slow = createSpeaker({
      now: () => nowMs,
      client: {
        serviceKeyOf,
        voices: async () => voices,
        speak: async (_, options) => {
          calls.push(options);
          nowMs += 50_000;
          throw status(500);
        },
      },
    });
    await expect(slow.speak({ ...ASKER, text: 'Hello.' }, signal)).rejects.toThrow();
    expect(calls.map((call) => [call?.hasFallback, call?.deadlineMs])).toEqual([
      [true, 120_000],
      [false, 70_000],
    ]);
  });

  it('passes over a voice that gives another kind of file than it says', async () => {
    voices = [voiceOf('liar'), voiceOf('honest')];
    const lying = createSpeaker({
      client: {
        serviceKeyOf,
        voices: async () => voices,
        speak: async ({ voice_id }) =>
          (async function* () {
            yield voice_id === 'liar' ? HEADS.wav : HEADS.mp3;
          })(),
      },
    });
    const speech = await lying.speak({ ...ASKER, text: 'Hello.', formats: ['mp3'] }, signal);
    expect(speech.voice.id).toBe('honest');
  });

  it('gives up after a bounded number of ways with the last fault', async () => {
    voices = Array.from({ length: 20 }, (_, index) => voiceOf(`v${index}`));
    refuse = () => status(500);
    await expect(speaker.speak({ ...ASKER, text: 'Hello.' }, signal)).rejects.toMatchObject({
      status: 500,
    });
    expect(asked).toHaveLength(6);
  });

  it('does not call silence audio', async () => {
    const mute = createSpeaker({
      client: {
        serviceKeyOf,
        voices: async () => [VOICE],
        speak: async () => (async function* () {})(),
      },
    });
    await expect(mute.speak({ ...ASKER, text: 'Hello.' }, signal)).rejects.toMatchObject({
      code: 'bad-reply',
    });
  });

  it('says what is missing when no voice or no format fits', async () => {
    await expect(
      speaker.speak({ ...ASKER, text: 'Hi', language: 'fr' }, signal),
    ).rejects.toMatchObject({
      sentence: { key: 'speech.no-voice' },
    });
    voices = [voiceOf('only-mp3', { formats: ['mp3', 'opus'] })];
    nowMs += 3_600_000;
    await expect(
      speaker.speak({ ...ASKER, text: 'Hi', formats: ['flac'] }, signal),
    ).rejects.toMatchObject({
      sentence: { key: 'speech.no-format' },
    });
  });

  it.each(['', ' \u200b ', '```js\ncode\n```'])('asks nobody to speak %j', async (text) => {
    await expect(speaker.speak({ ...ASKER, text: rich(text) }, signal)).rejects.toMatchObject({
      sentence: { key: 'speech.nothing-to-say' },
    });
    expect(asked).toEqual([]);
  });

  it('leaves an asker who is gone at once, though others wait for the same list', async () => {
    const never = createSpeaker({
      client: {
        serviceKeyOf,
        voices: async () => new Promise(() => {}),
        speak: async () => (async function* () {})(),
      },
    });
    const asker = new AbortController();
    const speech = never.speak({ ...ASKER, text: 'Hello.' }, asker.signal);
    asker.abort();
    await expect(speech).rejects.toMatchObject({ code: 'cancelled' });
  });
});
