import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../../../src/api/client.ts';
import { createServiceKey, UnreadableKeyError, type FindOwnKey } from '../../../../src/api/keys.ts';
import { createRealtime, type Realtime } from '../../../../src/api/realtime/index.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { patientClock } from '../../../fakes/clock.ts';
import { pcmOf } from '../../../fakes/realtime-recognition.ts';
import { startSpeechFake, VOICE, type SpeechFake } from '../../../fakes/speech.ts';
import { bytesOf } from '../client-support.ts';

const OWNER = { platform: 'p', id: 'owner' };
const OTHER = { platform: 'p', id: 'other' };
const LOCKED = { platform: 'p', id: 'locked' };
const OWN_KEY = 'svck:key-of-the-owners-space';
const { signal } = new AbortController();

let fake: SpeechFake;
let client: ServiceClient;
let realtime: Realtime;

beforeEach(async () => {
  fake = await startSpeechFake();
  const findOwnKey: FindOwnKey = async ({ id }) => {
    if (id === LOCKED.id) throw new UnreadableKeyError(new Error('locked'));
    return id === OWNER.id ? createServiceKey(OWN_KEY, { isOwn: true }) : undefined;
  };
  const common = { baseUrl: fake.url, key: fake.key, findOwnKey };
  client = createServiceClient({ ...common, retry: { sleep: async () => {} } });
  realtime = createRealtime({
    ...common,
    uses: ['recognition', 'speech'],
    requests: client,
    log: silentLog,
    clock: patientClock,
  });
});
afterEach(async () => {
  realtime[Symbol.dispose]();
  await client[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const hear = async (space: typeof OWNER): Promise<string> => {
  const failed = Promise.withResolvers<never>();
  const { openSession } = await realtime.recognition!.of(space);
  const session = openSession({
    asker: { lane: 'live', space },
    changed: () => undefined,
    failed: failed.reject,
  });
  failed.promise.catch(() => undefined);
  for (const word of ['we', 'meet', '']) session.append(pcmOf(word));
  return (await Promise.race([session.finish(), failed.promise])).text;
};

const say = async (space: typeof OWNER): Promise<Buffer> => {
  const request = { voice_id: VOICE.id, text: 'hello', format: 'mp3', stream: true } as const;
  return bytesOf(await realtime.speech!.speak(request, { lane: 'live', space, signal }));
};

describe('a connection for a space', () => {
  it('is opened with the key of that space', async () => {
    await expect(hear(OWNER)).rejects.toMatchObject({
      status: 401,
      sentence: { key: 'service.bad-own-key' },
    });
    expect(await hear(OTHER)).toBe('we meet');
    fake.otherKeys.add(OWN_KEY);
    expect(await hear(OWNER)).toBe('we meet');
    await expect(hear(LOCKED)).rejects.toMatchObject({ code: 'config' });
  });

  it('of speech is kept for that space’s key alone', async () => {
    fake.otherKeys.add(OWN_KEY);
    await say(OWNER);
    await say(OTHER);
    await say(OWNER);
    await say({ platform: 'p', id: 'a third' });
    expect(fake.realtime.opened).toBe(2);
    await expect(say(LOCKED)).rejects.toMatchObject({ code: 'config' });
  });
});
