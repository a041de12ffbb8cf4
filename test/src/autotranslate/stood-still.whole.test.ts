import { describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Store } from '../../../src/store/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { mirrorOf, openTestAutoTranslate } from '../../fakes/autotranslate.ts';
import { channel, createFakeFeed } from '../../fakes/channel-feed.ts';
import { makeDatabase } from '../../fakes/database.ts';

const [ENGLISH, SPANISH] = [channel('english'), channel('spanish')];

const waiting = async (store: Store): Promise<number> => {
  const rows = await store.selectFrom('inbox').selectAll().where('state', '=', 'waiting').execute();
  return rows.length;
};

describe('a process that stood still while a mirror waited for its turn', () => {
  /** Opens a process whose lease ends while a call of the platform waits. */
  const open = async () => {
    let aheadMs = 0;
    const store = await openPostgresStore({
      url: await makeDatabase(),
      connections: 3,
      log: createLog('silent'),
      wallMs: () => Date.now() + aheadMs,
    });
    onTestFinished(() => store.destroy());
    const feed = createFakeFeed();
    const { mirrors } = feed;
    const refusals: unknown[] = [];
    const shown: string[] = [];
    /** What happens while the next call waits; undefined where none is to wait. */
    let meanwhile: (() => Promise<void>) | undefined;
    const wait = async ({ assertHeld }: WhileHeld = {}): Promise<void> => {
      const run = meanwhile;
      meanwhile = undefined;
      if (!run) return;
      aheadMs += 10_000;
      await run();
      try {
        refusals.push(assertHeld?.());
      } catch (thrown) {
        refusals.push(thrown);
      }
    };
    const platform: Platform = {
      ...feed.platform,
      mirrors: {
        ...mirrors,
        async *create(target, wanted, options) {
          await wait(options);
          yield* mirrors.create(target, wanted, options);
        },
        update: async (posted, mirror, options) => {
          await wait(options);
          const now = await mirrors.update(posted, mirror, options);
          shown.push(...feed.texts(SPANISH));
          return now;
        },
      },
    };
    const running = await openTestAutoTranslate(store, { readyPlatforms: () => [platform.name] });
    onTestFinished(() => running[Symbol.asyncDispose]());
    running.attach(platform);
    await running.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    const say = async (): Promise<Message> => {
      const message = feed.say(ENGLISH, 'one');
      await running.listener.messageChanged(message);
      await expect.poll(() => feed.texts(SPANISH).length).toBe(1);
      return message;
    };
    const edit = async ({ ref }: Message, text: string): Promise<void> =>
      running.listener.messageChanged(feed.edit(ref, text));
    const stopFor = (run: () => Promise<void>): void => void (meanwhile = run);
    return { store, feed, refusals, shown, say, edit, stopFor };
  };

  it('is refused to post it, before it hears that its lease is over', async () => {
    const { refusals, say, stopFor } = await open();
    stopFor(async () => undefined);
    await say();
    expect(refusals).toMatchObject([{ code: 'cancelled' }]);
  });

  it('is refused to change it to an older text, and the next one shows the newest', async () => {
    const { store, feed, refusals, shown, say, edit, stopFor } = await open();
    const message = await say();
    stopFor(() => edit(message, 'three'));
    await edit(message, 'two');
    await expect.poll(() => feed.texts(SPANISH)[0]).toContain('es(three)');
    await expect.poll(() => waiting(store)).toBe(0);
    expect(refusals).toMatchObject([{ code: 'cancelled' }]);
    expect(shown.filter((text) => text.includes('es(two)'))).toEqual([]);
    expect(feed.texts(SPANISH)).toHaveLength(1);
  });
});
