import { beforeEach, describe, expect, it } from 'vitest';
import {
  createGivenUpNotices,
  type GivenUpNoticesDeps,
} from '../../../../src/autotranslate/moderators/given-up.ts';
import type { Content } from '../../../../src/model/message.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { realTexts } from '../../../fakes/texts.ts';
import { messageOf, SPACE, withInbox } from '../../store/inbox/support.ts';
import { GENERAL, untilGivenUp, withScene } from '../support.ts';

const MINUTE_MS = 60_000;
const OTHER = { space: { platform: 'test', id: 'other' }, id: 'elsewhere' };

describe("a moderators' channel", () => {
  const inbox = withInbox();
  let posts: Pick<Content, 'text' | 'controls'>[];
  /** False while nothing can be said. */
  let isOpen: boolean;
  let tries: number;

  beforeEach(() => {
    [posts, isOpen, tries] = [[], true, 0];
  });

  /** A process on the same database. */
  const createProcess = (
    part: Partial<Pick<GivenUpNoticesDeps, 'moderators' | 'inbox'>> = {},
  ): ReturnType<typeof createGivenUpNotices> => {
    const feed = { link: ({ id }: { id: string }) => `https://test/${id}` };
    return createGivenUpNotices({
      inbox: inbox.ours,
      moderators: {
        say: async (_, line) => {
          tries += 1;
          if (isOpen) posts.push(line(realTexts.rich('en')));
          return isOpen;
        },
      },
      platforms: { find: () => ({ feed }) as never, all: () => [['test', { feed } as never]] },
      log: silentLog,
      now: () => inbox.clock.ms,
      ...part,
    });
  };
  const look = async (process: ReturnType<typeof createGivenUpNotices>): Promise<void> => {
    await process.look();
    await process.idle();
  };
  const said = (): string[] => posts.map(({ text }) => plainText(text));
  const giveUp = async (...ids: readonly number[]): Promise<void> => {
    for (const id of ids) await inbox.accept(messageOf(id));
    for (const row of await inbox.claim())
      await inbox.store.write((db) =>
        inbox.ours.settle(db, row, {
          state: 'dead',
          reason: 'timeout',
          sentence: { key: 'reasons.timeout' },
        }),
      );
  };
  const lineOf = (count: number) =>
    expect.stringContaining(sentence('moderators.given-up', { count }));

  it('gets one line of what was given up, with links and Try again, and each but once', async () => {
    await giveUp(1, 2, 3, 4, 5, 6, 7);
    const process = createProcess();
    await look(process);
    await look(process);
    expect(said()).toEqual([lineOf(7)]);
    expect(said()[0]).toContain(sentence('reasons.timeout'));
    expect(JSON.stringify(posts[0]?.text).match(/https:\/\/test/g)).toHaveLength(5);
    expect(posts[0]?.controls).toMatchObject([
      { press: 'status again', label: sentence('status.retry') },
    ]);
    await giveUp(8);
    await look(process);
    expect(said()).toEqual([lineOf(7), lineOf(1)]);
  });

  it('gets no line of what is tried again by then', async () => {
    await giveUp(1, 2);
    await inbox.accept(messageOf(1, 'hello, again'));
    await look(createProcess());
    expect(said()).toEqual([lineOf(1)]);
  });

  it('gets what it could not get once it can, tried no more than every ten minutes', async () => {
    isOpen = false;
    await giveUp(1, 2);
    const process = createProcess();
    for (let minutes = 0; minutes < 60; minutes += 1) {
      await look(process);
      inbox.clock.ms += MINUTE_MS;
    }
    expect(tries).toBeLessThan(11);
    isOpen = true;
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await look(process);
      inbox.clock.ms += MINUTE_MS;
    }
    expect(said()).toEqual([lineOf(2)]);
  });

  it('is given up itself after about a day', async () => {
    isOpen = false;
    await giveUp(1);
    const process = createProcess();
    for (let tens = 0; tens < 400; tens += 1) {
      await look(process);
      inbox.clock.ms += 10 * MINUTE_MS;
    }
    expect(tries).toBeGreaterThan(100);
    expect(tries).toBeLessThan(160);
    isOpen = true;
    await look(createProcess());
    expect(said()).toEqual([]);
  });

  it('that takes long keeps no other from its line', async () => {
    await giveUp(1);
    await inbox.accept(messageOf(1, 'hello', OTHER));
    await giveUp();
    const never = new Promise<never>(() => {});
    const told: string[] = [];
    const process = createProcess({
      moderators: {
        say: async (space) => {
          told.push(space.id);
          return space.id === SPACE.id ? never : true;
        },
      },
    });
    await process.look();
    await expect.poll(() => told.toSorted()).toEqual([OTHER.space.id, SPACE.id].toSorted());
    await process.look();
    await expect.poll(() => inbox.ours.untold.spaces(['test'])).toEqual([SPACE]);
    expect(told).toHaveLength(2);
  });

  it('gets its line also where those of many spaces refuse theirs all the time', async () => {
    await giveUp(1);
    const row = await inbox.store.selectFrom('inbox').selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: 250 }, (_, at) => `other ${at}`);
    for (const id of others)
      await inbox.store.write((db) =>
        db
          .insertInto('inbox')
          .values({ ...row, space_id: id, channel_id: id })
          .execute(),
      );
    const served = new Set<string>();
    const say = async ({ id }: typeof SPACE): Promise<boolean> => {
      served.add(id);
      return false;
    };
    const process = createProcess({ moderators: { say } });
    for (let looks = 0; looks < 4; looks += 1) await look(process);
    expect([...served].toSorted()).toEqual([SPACE.id, ...others].toSorted());
  });

  it('gets its line though a process is killed at any effect, and twice at most', async () => {
    for (let deathAt = 0; deathAt < 6; deathAt += 1) {
      posts = [];
      await giveUp(10 + deathAt);
      let step = 0;
      const died = Promise.withResolvers<void>();
      const meetDeath = async (): Promise<void> => {
        if (step === deathAt) died.resolve();
        step += 1;
        if (step > deathAt) await new Promise<never>(() => {});
      };
      const mortal =
        <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
        async (...given: Given): Promise<Result> => {
          await meetDeath();
          const result = await run(...given);
          await meetDeath();
          return result;
        };
      const { untold } = inbox.ours;
      const first = createProcess({
        inbox: {
          untold: { ...untold, begin: mortal(untold.begin), end: mortal(untold.end) },
        },
        moderators: {
          say: mortal(async (_, line) => {
            posts.push(line(realTexts.rich('en')));
            return true;
          }),
        },
      });
      await first.look();
      await died.promise;
      const second = createProcess();
      await look(second);
      await look(second);
      const isDoubled = deathAt === 3 || deathAt === 4;
      expect(said(), `killed at ${deathAt}`).toEqual(
        isDoubled ? [lineOf(1), lineOf(1)] : [lineOf(1)],
      );
    }
  });
});

describe('a message that is given up', () => {
  const scene = withScene([watchOf(GENERAL)]);

  it('is told to the channel that moderators chose, also after a restart', async () => {
    const mods = channel('mods');
    await scene.spaces.change(GENERAL.space, { moderators: { channel: mods.id, locale: 'en' } });
    const told = (): string[] => scene.feed.messages(mods).map(({ text }) => plainText(text));
    scene.poisoned.add('hello');
    await scene.say(GENERAL, 'hello');
    await untilGivenUp(scene);
    await scene.later();
    expect(told()).toEqual([
      expect.stringContaining(sentence('moderators.given-up', { count: 1 })),
    ]);
    expect(told()[0]).not.toContain('hello');
    await scene.restart();
    await scene.later();
    expect(told()).toHaveLength(1);
  });
});
