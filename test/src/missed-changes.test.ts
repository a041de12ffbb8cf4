import { describe, expect, it, onTestFinished } from 'vitest';
import { createServiceClient } from '../../src/api/client.ts';
import { openStore } from '../../src/store/index.ts';
import { watchOf } from '../fakes/autotranslate.ts';
import { channel, createFakeFeed, person } from '../fakes/channel-feed.ts';
import { createHastyClock } from '../fakes/clock.ts';
import { optOutElsewhere, tellOfMissed } from '../fakes/missed-changes.ts';
import { openTestCore } from '../fakes/open-core.ts';
import { startSpeechFake } from '../fakes/speech.ts';

const HERE = channel('here');
const BOB = { platform: 'place', id: 'bob' };

/** The core over a service, and the contexts with which it asks for translations. */
const start = async () => {
  const fake = await startSpeechFake();
  const asked: string[] = [];
  const { translate } = fake;
  fake.translate = (text, fields) => {
    asked.push(JSON.stringify(fields));
    return translate(text, fields);
  };
  const store = await openStore('sqlite::memory:');
  const client = createServiceClient({
    baseUrl: fake.url,
    key: fake.key,
    clock: createHastyClock(),
  });
  const running = await openTestCore({ client, store });
  const feed = createFakeFeed();
  running.attach({ platform: feed.platform, ready: () => true });
  onTestFinished(async () => {
    await running[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    await store.destroy();
    await fake[Symbol.asyncDispose]();
  });
  await running.core.services.watches.set([watchOf(HERE)]);
  return {
    store,
    core: running.core,
    say: async (text: string, author: string) => {
      await running.core.feedListener.messageChanged(
        feed.say(HERE, text, { author: person(author) }),
      );
      await running.autoTranslate.idle();
    },
    asked,
  };
};

describe('a process that may have missed who opted out or is to be forgotten', () => {
  it.each(['opt-out', 'forgotten', 'space-left'] as const)(
    'gives the service no words as context that it had before: %s',
    async (topic) => {
      const { store, say, asked } = await start();
      await say('the words of bob', 'bob');
      if (topic === 'opt-out') await optOutElsewhere(store, BOB.platform, BOB.id);
      await tellOfMissed(store, topic);
      await say('and then', 'ada');
      expect(asked[0]).toContain('the words of bob');
      expect(asked.at(-1)).toContain('and then');
      expect(asked.at(-1)).not.toContain('the words of bob');
    },
  );

  it.each(['opt-out', 'forgotten', 'space-left'] as const)(
    'knows no more in which languages people wrote: %s',
    async (topic) => {
      const { store, core } = await start();
      const { languages } = core.services;
      const line = (id: string) => ({ ref: { channel: HERE, id }, author: BOB });
      languages.rank('hvad laver I så i aften?', line('1'));
      languages.rank('det er fandeme ærgerligt', line('2'));
      await tellOfMissed(store, topic);
      expect(languages.rank('hvor er du?', line('last'))).toEqual(languages.rank('hvor er du?'));
    },
  );
});
