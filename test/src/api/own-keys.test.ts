import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyGates } from '../../../src/api/key-gates.ts';
import { createServiceClient, type ServiceClient } from '../../../src/api/client.ts';
import { MODELS_PATH, PATHS } from '../../../src/api/contract.ts';
import { createServiceKey, serviceKey } from '../../../src/api/keys.ts';
import type { ServiceError } from '../../../src/api/service-error.ts';
import { realClock } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { NO_SPACE } from '../../../src/model/service.ts';
import type { Space } from '../../../src/model/place.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { startSpeechFake, VOICE, type SpeechFake } from '../../fakes/speech.ts';
import { bytesOf, JAPANESE, source, statesOf } from './client-support.ts';

const OWNER: Space = { platform: 'p', id: 'owner' };
const OTHER: Space = { platform: 'p', id: 'other' };
const LOCKED: Space = { platform: 'p', id: 'locked' };
const OWN_KEY = 'svck:key-of-the-owners-space';
const signal = new AbortController().signal;
const by = (space: Space) => ({ lane: 'interactive', space, signal }) as const;

let fake: SpeechFake;
let client: ServiceClient;
let answers: (AppError | undefined)[];
let areFree: boolean[];

beforeEach(async () => {
  fake = await startSpeechFake();
  fake.otherKeys.add(OWN_KEY);
  answers = [];
  areFree = [];
  const own = createServiceKey(OWN_KEY, {
    isOwn: true,
    answered: (error, isFree) => {
      answers.push(error);
      areFree.push(isFree);
    },
  });
  client = createServiceClient({
    baseUrl: fake.url,
    key: fake.key,
    findOwnKey: async ({ id }) => {
      if (id === LOCKED.id) throw new AppError('config', 'locked');
      return id === OWNER.id ? own : undefined;
    },
    retry: { random: () => 0, sleep: async () => {} },
    clock: createHastyClock(),
  });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const sent = (): (string | undefined)[] => fake.seen.map(({ headers }) => headers.authorization);

describe('the key of a space', () => {
  it('is sent with every call of that space, and with no other', async () => {
    const everything = async (space: Space): Promise<void> => {
      fake.models = ['model'];
      const options = by(space);
      await client.voices(options);
      await client.models(options);
      const request = { model: 'model', messages: [{ role: 'user' as const, content: 'Hi' }] };
      await client.chat(request, options);
      await statesOf(client.chatStream(request, options));
      await client.translate({ text: 'Hi', ...JAPANESE }, options);
      await statesOf(client.translateStream({ text: 'Hi', ...JAPANESE }, options));
      await client.transcribe(source(Buffer.from('OggS')), {}, options);
      await client.transcribeSegments(source(Buffer.from('OggS')), {}, options);
      await bytesOf(await client.speak({ voice_id: VOICE.id, text: 'Hi', format: 'mp3' }, options));
    };
    await everything(OWNER);
    expect(new Set(sent())).toEqual(new Set([`Bearer ${OWN_KEY}`]));
    expect(new Set(fake.seen.map(({ path }) => path))).toEqual(
      new Set([PATHS.voices, MODELS_PATH, PATHS.chat, PATHS.translate, PATHS.asr, PATHS.tts]),
    );
    const before = sent().length;
    await everything(OTHER);
    await client.voices(by(NO_SPACE));
    expect(new Set(sent().slice(before))).toEqual(new Set([`Bearer ${fake.key}`]));
  });

  it('has the operator’s in its place neither when it is refused, nor without credit, nor unread', async () => {
    fake.otherKeys.delete(OWN_KEY);
    const refused = await client.voices(by(OWNER)).catch((thrown: ServiceError) => thrown);
    expect(refused).toMatchObject({
      status: 401,
      sentence: { key: 'service.bad-own-key' },
      remedy: { key: 'remedies.own-key' },
    });
    fake.otherKeys.add(OWN_KEY);
    const body = JSON.stringify({ context: [], code: 1, name: 'ErrCreditUsedUp', error: 'none' });
    fake.fail(PATHS.voices, { status: 429, body });
    const spent = await client.voices(by(OWNER)).catch((thrown: ServiceError) => thrown);
    expect(spent).toMatchObject({
      isOutOfCredit: true,
      retryable: false,
      sentence: { key: 'service.no-own-credit' },
    });
    await expect(client.voices(by(LOCKED))).rejects.toMatchObject({ code: 'config' });
    expect(sent()).not.toContain(`Bearer ${fake.key}`);
    expect(answers).toEqual([refused, spent]);
    await client.voices(by(OWNER));
    expect(answers.at(-1)).toBeUndefined();
  });

  it('is told which answers cost nothing', async () => {
    fake.models = ['model'];
    await client.voices(by(OWNER));
    await client.models(by(OWNER));
    await client.translate({ text: 'Hi', ...JAPANESE }, by(OWNER));
    expect(areFree).toEqual([true, true, false]);
  });

  it('is slowed by no limit of another one', async () => {
    const waits: number[] = [];
    const slow = createServiceClient({
      baseUrl: fake.url,
      key: fake.key,
      findOwnKey: async ({ id }) =>
        id === OWNER.id ? createServiceKey(OWN_KEY, { isOwn: true }) : undefined,
      clock: realClock,
      onCall: ({ waitingMs, space }) => {
        if (space.id === OTHER.id) waits.push(waitingMs);
      },
    });
    fake.fail(PATHS.voices, { status: 429, headers: { 'retry-after': '2' } });
    const leaving = new AbortController();
    const waiting = slow.voices({ ...by(OWNER), signal: leaving.signal });
    waiting.catch(() => undefined);
    await expect.poll(() => fake.seen.length).toBe(1);
    await slow.voices(by(OTHER));
    expect(waits[0]).toBeLessThan(500);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await slow[Symbol.asyncDispose]();
  });

  it('has retries of its own, which the failures of another one do not use up', async () => {
    const down = Array.from({ length: 30 }, () => ({ status: 503 }));
    fake.fail(PATHS.voices, ...down);
    fake.fail(MODELS_PATH, ...down);
    for (let call = 0; call < 3; call += 1) {
      await client.voices(by(OWNER)).catch(() => undefined);
      await client.models(by(OWNER)).catch(() => undefined);
    }
    fake.heal();
    fake.fail(PATHS.voices, { status: 503 });
    await expect(client.voices(by(OTHER))).resolves.toHaveLength(1);
  });

  it('of many spaces leaves nothing behind', () => {
    const gates = createKeyGates({
      clock: realClock,
      random: () => 0,
      metrics: createMetrics(),
    });
    const first = gates.of({ id: 'first' }, 'tts');
    expect(gates.of({ id: 'first' }, 'tts')).toBe(first);
    expect(gates.of({ id: 'first' }, 'asr')).not.toBe(first);
    for (let index = 0; index < 5_000; index += 1) {
      gates.of({ id: `key ${index}` }, 'tts');
      gates.of({ id: 'operator' }, 'tts');
    }
    expect(gates.keys).toBe(500);
    expect(gates.of({ id: 'first' }, 'tts')).not.toBe(first);
  });
});

describe('the check of a key', () => {
  it('asks once, with that key', async () => {
    await client.checkKey(OWN_KEY, signal);
    expect(sent()).toEqual([`Bearer ${OWN_KEY}`]);
    await expect(client.checkKey('svck:nobody', signal)).rejects.toMatchObject({ status: 401 });
    fake.fail(PATHS.voices, { status: 503 });
    await expect(client.checkKey(OWN_KEY, signal)).rejects.toMatchObject({ status: 503 });
    expect(fake.seen).toHaveLength(3);
  });

  it.each([403, 404])(
    'takes a key to which the service says %d: it has no speech',
    async (status) => {
      fake.fail(PATHS.voices, { status });
      await client.checkKey(OWN_KEY, signal);
    },
  );
});

describe('the form of a key', () => {
  it.each(['svck:x', 'a:b:c', 'k-1:~!"'])('%s is one', (key) => {
    expect(serviceKey.safeParse(key).success).toBe(true);
  });

  it.each([
    '',
    'svck',
    'svck:',
    ':x',
    'svck: x',
    'svck:x\r\nx-a: b',
    'svck:ключ',
    `svck:${'x'.repeat(1_000)}`,
  ])('%j is none', (key) => {
    expect(serviceKey.safeParse(key).success).toBe(false);
  });
});
