import { describe, expect, it, onTestFinished } from 'vitest';
import { createServiceClient, type ServiceClient } from '../../../../src/api/client.ts';
import { createServiceKey } from '../../../../src/api/keys.ts';
import { NO_SPACE } from '../../../../src/model/service.ts';
import type { Space } from '../../../../src/model/place.ts';
import type { Store } from '../../../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { startSpeechFake, type SpeechFake } from '../../../fakes/speech.ts';

const OWNER: Space = { platform: 'p', id: 'owner' };
const OWN_KEY = 'svck:key-of-the-owners-space';
const secret = Buffer.alloc(32, 7);
const signal = new AbortController().signal;

/** The client of one process; `OWNER` has a key of its own. */
const openProcess = ({ url, key }: SpeechFake, { states }: Store): ServiceClient => {
  const own = createServiceKey(OWN_KEY, { isOwn: true });
  const client = createServiceClient({
    baseUrl: url,
    key,
    findOwnKey: async ({ id }) => (id === OWNER.id ? own : undefined),
    sharing: { states: states!, secret, service: url },
  });
  onTestFinished(async () => client[Symbol.asyncDispose]());
  return client;
};

const translate = (client: ServiceClient, space: Space = NO_SPACE, deadlineMs = 10_000) =>
  client.translate(
    { text: 'x', sourceLang: 'en', targetLang: 'es' },
    { lane: 'ambient', space, signal, deadlineMs },
  );

describe('two processes on one PostgreSQL', () => {
  it('wait together as the service told one of them, for that key alone', async () => {
    await using fake = await startSpeechFake();
    fake.otherKeys.add(OWN_KEY);
    const url = await makeDatabase();
    const stores = [await openTestStore(url), await openTestStore(url)] as const;
    const [one, other] = stores.map((store) => openProcess(fake, store)) as [
      ServiceClient,
      ServiceClient,
    ];
    await translate(other);
    await translate(other, OWNER);
    fake.limit = { take: () => 60_000, allowed: () => 0 };
    await expect(translate(one)).rejects.toMatchObject({ code: 'rate-limited' });
    fake.limit = undefined;
    const rows = () => stores[1].selectFrom('shared_state').selectAll().execute();
    await eventually(async () => expect(await rows()).toHaveLength(1));
    // News takes some milliseconds: until then, requests are sent.
    await eventually(() =>
      expect(translate(other)).rejects.toMatchObject({ name: 'NotSentError' }),
    );
    const seen = fake.seen.length;
    await expect(translate(other)).rejects.toMatchObject({ name: 'NotSentError' });
    expect(fake.seen).toHaveLength(seen);
    await translate(other, OWNER);
    const stored = JSON.stringify(await rows());
    for (const key of [fake.key, OWN_KEY])
      for (const word of [key, createServiceKey(key).id]) expect(stored).not.toContain(word);
  });
});
