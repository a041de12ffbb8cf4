import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallReport } from '../../../src/api/call-report.ts';
import { createServiceClient, type ServiceClient } from '../../../src/api/client.ts';
import { PATHS } from '../../../src/api/contract.ts';
import { ASKER } from '../../fakes/asker.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { startSpeechFake, type SpeechFake } from '../../fakes/speech.ts';
import { createTokenBucket } from '../../fakes/token-bucket.ts';
import { JAPANESE, source, statesOf } from './client-support.ts';

let fake: SpeechFake;
let client: ServiceClient;
let reports: CallReport[];
let clock: ReturnType<typeof createHastyClock>;
const signal = new AbortController().signal;

beforeEach(async () => {
  fake = await startSpeechFake();
  reports = [];
  clock = createHastyClock();
  client = createServiceClient({
    baseUrl: fake.url,
    key: fake.key,
    retry: { random: () => 0, sleep: async () => {} },
    clock,
    onCall: (report) => reports.push(report),
  });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const options = { ...ASKER, signal };

describe('a limited service', () => {
  it('answers all calls in the end, and is hardly asked more often', async () => {
    fake.limit = createTokenBucket(clock.nowMs, { perSecond: 5, burst: 8 });
    const texts = Array.from({ length: 60 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(
      texts.map(async (text) => client.translate({ ...JAPANESE, text }, options)),
    );
    expect(answers).toEqual(texts.map((text) => `ja:${text}`));
    expect(fake.seen.length).toBeLessThan(90);
  });

  it('is waited for by the finer of the two waits that it names', async () => {
    const error = 'Too many requests. Retry after 1.72s';
    fake.fail(PATHS.voices, {
      status: 429,
      headers: { 'retry-after': '2' },
      body: JSON.stringify({ context: [], code: 7, name: 'ErrRateLimit', error }),
    });
    await client.voices(options);
    expect(clock.ms).toBe(1_720);
  });
});

describe('a service that is down', () => {
  it('is asked no more after some failures, by whatever call', async () => {
    fake.fail(PATHS.voices, ...Array.from({ length: 100 }, () => ({ status: 503 })));
    for (let call = 0; call < 20; call += 1) await client.voices(options).catch(() => undefined);
    expect(fake.seen).toHaveLength(10);
    await expect(client.voices(options)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
    // Other endpoints may well answer.
    await client.translate({ ...JAPANESE, text: 'hello' }, options);
  });

  it.each([400, 401, 402, 403, 404])('is not what %i means', async (status) => {
    fake.fail(PATHS.voices, ...Array.from({ length: 20 }, () => ({ status })));
    for (let call = 0; call < 20; call += 1) await client.voices(options).catch(() => undefined);
    expect(fake.seen).toHaveLength(20);
    await client.voices(options);
  });

  it('is not what one space’s requests break at: others are still sent', async () => {
    fake.fail(PATHS.voices, ...Array.from({ length: 100 }, () => ({ status: 500 })));
    for (let call = 0; call < 30; call += 1) await client.voices(options).catch(() => undefined);
    const other = { ...options, space: { platform: 'p', id: 'other' } };
    await expect(client.voices(other)).rejects.toMatchObject({ status: 500 });
  });

  it('is asked for little more than there are calls', async () => {
    const mixed = Array.from({ length: 400 }, (_, index) =>
      index % 2 === 0 ? { status: 500 } : { until: Promise.resolve() },
    );
    fake.fail(PATHS.voices, ...mixed);
    for (let call = 0; call < 200; call += 1) await client.voices(options).catch(() => undefined);
    expect(fake.seen.length).toBeLessThanOrEqual(200 + 10 + 20);
  });
});

describe('the report of a call', () => {
  it('tells who asked for what, and what it took', async () => {
    await client.translate({ ...JAPANESE, text: 'hello' }, options);
    expect(reports).toEqual([
      {
        ...ASKER,
        endpoint: 'translate',
        waitingMs: 0,
        serviceMs: expect.any(Number) as number,
        attempts: 1,
        outcome: 'answered',
        characters: 5,
        tokens: 2,
      },
    ]);
  });

  it('counts tokens of a stream, and seconds of audio', async () => {
    await statesOf(client.translateStream({ ...JAPANESE, text: 'hello' }, options));
    await client.transcribe(
      source(Buffer.from('RIFF....WAVE')),
      {},
      { ...options, audioMs: 1_500 },
    );
    expect(reports).toMatchObject([{ tokens: 2 }, { endpoint: 'asr', audioSeconds: 1.5 }]);
  });

  it('tells of waits, failures and attempts', async () => {
    fake.fail(
      PATHS.voices,
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 500 },
      { status: 400 },
    );
    await client.voices(options).catch(() => undefined);
    expect(reports).toMatchObject([{ attempts: 3, outcome: 'bad-input' }]);
    expect(reports[0]?.waitingMs).toBeGreaterThanOrEqual(2_000);
  });

  it('comes once, also of a call whose asker leaves or that is not sent', async () => {
    await client
      .translate({ ...JAPANESE, text: 'hello' }, { ...options, signal: AbortSignal.abort() })
      .catch(() => undefined);
    const stream = client.translateStream({ ...JAPANESE, text: 'one two' }, options);
    await stream.next();
    await stream.return('');
    expect(reports).toMatchObject([
      { attempts: 0, outcome: 'cancelled' },
      { attempts: 1, outcome: 'cancelled' },
    ]);
  });

  it('holds nothing of texts, keys and audio', async () => {
    const secret = 'the words of somebody';
    await client.translate({ ...JAPANESE, text: secret }, options);
    fake.fail(PATHS.chat, { status: 400, body: secret });
    const messages = [{ role: 'user', content: secret }] as const;
    await client.chat({ messages: [...messages] }, options).catch(() => undefined);
    expect(reports).toHaveLength(2);
    expect(JSON.stringify(reports)).not.toContain('words');
    expect(JSON.stringify(reports)).not.toContain(fake.key);
  });
});
