import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../../src/api/call-report.ts';
import { createServiceClient, type ServiceClient } from '../../../../src/api/client.ts';
import type { TtsRequest } from '../../../../src/api/contract.ts';
import { createServiceKey } from '../../../../src/api/keys.ts';
import { createAvailabilities } from '../../../../src/api/realtime/availability.ts';
import { createSocketOpener } from '../../../../src/api/realtime/socket.ts';
import { createRealtimeSpeech, type RealtimeSpeech } from '../../../../src/api/realtime/speech.ts';
import { createSpeaker } from '../../../../src/speech/speaker.ts';
import { ASKER } from '../../../fakes/asker.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';
import { startSpeechFake, VOICE, type SpeechFake } from '../../../fakes/speech.ts';
import { bytesOf } from '../client-support.ts';

const { signal } = new AbortController();
const REQUEST: TtsRequest = { voice_id: VOICE.id, text: 'hello', format: 'pcm', stream: true };
/** 10 ms a character, at 24 kHz. */
const HELLO_BYTES = 5 * 480;

let fake: SpeechFake;
let client: ServiceClient;
let clock: TestClock;
let speech: RealtimeSpeech;
let lines: string[];
let reports: CallReport[];

beforeEach(async () => {
  fake = await startSpeechFake();
  client = createServiceClient({ baseUrl: fake.url, key: fake.key });
  clock = createTestClock();
  lines = [];
  reports = [];
  const tell = (_: unknown, line: string): void => void lines.push(line);
  speech = createRealtimeSpeech({
    serviceKeyOf: client.serviceKeyOf,
    openSocket: () => createSocketOpener(fake.url, createServiceKey(fake.key)),
    availability: createAvailabilities('speech', {
      clock,
      log: { warn: tell, info: tell } as never,
    }),
    clock,
    requests: client,
    onCall: (report) => void reports.push(report),
  });
});
afterEach(async () => {
  speech[Symbol.dispose]();
  await client[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const say = async (request: Partial<TtsRequest> = {}): Promise<Buffer> =>
  bytesOf(await speech.speak({ ...REQUEST, ...request }, { ...ASKER, signal }));
const posts = (): number => fake.seen.filter(({ path }) => path === '/tts').length;

describe('speech over a connection', () => {
  it('is the same as by a request, and keeps the connection for the next text', async () => {
    const expected = await bytesOf(await client.speak(REQUEST, { ...ASKER, signal }));
    expect((await say()).equals(expected)).toBe(true);
    expect((await say()).equals(expected)).toBe(true);
    expect([fake.realtime.opened, posts(), speech.sessions]).toEqual([1, 1, 1]);
    expect(fake.realtime.spoken).toEqual(['hello', 'hello']);
  });

  it('has a connection for each format', async () => {
    await say();
    expect((await say({ format: 'ogg' })).subarray(0, 4).toString()).toBe('OggS');
    expect(fake.realtime.opened).toBe(2);
  });

  it('reads audio in base64 too', async () => {
    fake.realtime.speech.push({ isBase64: true });
    expect(await say()).toHaveLength(HELLO_BYTES);
  });

  it('closes a connection that is not needed for a minute', async () => {
    await say();
    await clock.advance(59_000);
    expect(fake.realtime.open).toBe(1);
    await clock.advance(1_000);
    await eventually(() => expect(fake.realtime.open).toBe(0));
    expect([speech.sessions, clock.waiting]).toEqual([0, 0]);
  });

  it('leaves to a request what is not streamed, and a text while another is spoken', async () => {
    await say({ stream: false });
    expect([fake.realtime.opened, posts()]).toEqual([0, 1]);
    const [one, other] = await Promise.all([say(), say({ text: 'hello again' })]);
    expect([one.length, other.length]).toEqual([HELLO_BYTES, 11 * 480]);
    expect([fake.realtime.spoken, posts()]).toEqual([['hello'], 2]);
  });

  it.each([401, 403, 404])(
    'that is refused with %i is left to requests, said once, and tried again later',
    async (refuse) => {
      fake.realtime.speech.push({ refuse });
      expect(await say()).toHaveLength(HELLO_BYTES);
      expect(await say()).toHaveLength(HELLO_BYTES);
      expect([fake.realtime.opened, posts(), lines.length]).toEqual([1, 2, 1]);
      await clock.advance(60_000);
      expect(await say()).toHaveLength(HELLO_BYTES);
      expect([fake.realtime.opened, posts(), lines.length]).toEqual([2, 2, 2]);
    },
  );

  it.each([{ cutAfterBytes: -1 }, { says: { code: 'ErrBackend', fatal: false } }])(
    'that ends before its first audio is left to a request: %o',
    async (fault) => {
      fake.realtime.speech.push(fault);
      expect(await say()).toHaveLength(HELLO_BYTES);
      expect(posts()).toBe(1);
    },
  );

  it('is left to a request when the service does not begin within eight seconds', async () => {
    fake.realtime.speech.push({ isSilent: true });
    const spoken = say();
    await eventually(() => expect(fake.realtime.spoken).toEqual(['hello']));
    await clock.advance(8_000);
    expect(await spoken).toHaveLength(HELLO_BYTES);
    expect(posts()).toBe(1);
    await eventually(() => expect(fake.realtime.open).toBe(0));
  });

  it('uses another connection when a kept one has ended', async () => {
    await say();
    fake.realtime.cut();
    await eventually(() => expect(speech.sessions).toBe(0));
    expect(await say()).toHaveLength(HELLO_BYTES);
    expect([fake.realtime.opened, posts()]).toEqual([2, 0]);
  });

  it('that breaks within its audio fails, for half a sentence cannot be taken back', async () => {
    fake.realtime.speech.push({ cutAfterBytes: 480 });
    await expect(say({ text: 'a longer sentence' })).rejects.toMatchObject({ code: 'unavailable' });
    expect(speech.sessions).toBe(0);
  });

  it('ends with its connection when nobody listens any more', async () => {
    const stop = new AbortController();
    const audio = await speech.speak(
      { ...REQUEST, text: 'a'.repeat(4_000) },
      { ...ASKER, signal: stop.signal },
    );
    for await (const _ of audio) break;
    await eventually(() => expect(fake.realtime.open).toBe(0));
    expect(await say()).toHaveLength(HELLO_BYTES);
    const other = await speech.speak(
      { ...REQUEST, text: 'a'.repeat(4_000) },
      { ...ASKER, signal: stop.signal },
    );
    stop.abort();
    await expect(bytesOf(other)).rejects.toMatchObject({ code: 'cancelled' });
    await eventually(() => expect(fake.realtime.open).toBe(0));
  });

  it('is what the speaker uses', async () => {
    const speaker = createSpeaker({ client: { ...client, speak: speech.speak } });
    for (const text of ['one', 'two', 'three']) {
      const { chunks } = await speaker.speak({ ...ASKER, text, formats: ['ogg'] }, signal);
      expect((await bytesOf(chunks)).subarray(0, 4).toString()).toBe('OggS');
    }
    expect([fake.realtime.opened, fake.realtime.spoken, posts()]).toEqual([
      1,
      ['one', 'two', 'three'],
      0,
    ]);
  });

  it('leaves no connection and no timer behind, however often connections break', async () => {
    for (let round = 0; round < 50; round += 1) {
      if (round % 2 === 0) fake.realtime.speech.push({ cutAfterBytes: round % 4 === 0 ? -1 : 480 });
      await say({ text: 'a longer sentence' }).catch(() => undefined);
      if (round % 3 === 0) fake.realtime.cut();
    }
    speech[Symbol.dispose]();
    await eventually(() => expect(fake.realtime.open).toBe(0));
    expect([speech.sessions, clock.waiting]).toEqual([0, 0]);
  });
});

describe('the report of a text that is spoken over a connection', () => {
  it('tells its characters and outcome', async () => {
    await say();
    const audio = await speech.speak(REQUEST, { ...ASKER, signal });
    for await (const _ of audio) break;
    fake.realtime.speech.push({ refuse: 403 });
    await say({ format: 'ogg' });
    const asked = { ...ASKER, endpoint: 'realtimeSpeech', characters: 5, attempts: 1 };
    expect(reports).toMatchObject([
      { ...asked, outcome: 'answered' },
      { ...asked, outcome: 'cancelled' },
      { ...asked, outcome: 'forbidden' },
    ]);
  });
});
