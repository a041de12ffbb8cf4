import { beforeEach, describe, expect, it } from 'vitest';
import {
  createModeratorNotices,
  type ModeratorNotices,
} from '../../../../src/autotranslate/moderators/notices.ts';
import { DAY_MS } from '../../../../src/async/clock.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Content } from '../../../../src/model/message.ts';
import type { Channel } from '../../../../src/model/place.ts';
import type { SpaceChoices } from '../../../../src/model/space.ts';
import { timestamp } from '../../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const SPACE = { platform: 'test', id: 's' };
const GENERAL: Channel = { space: SPACE, id: 'general' };
const MINUTE_MS = 60_000;
interface World {
  readonly posts: { readonly to: Channel; readonly content: Content }[];
  setting: SpaceChoices['moderators'];
  /** Names of rates that another process has used up. */
  readonly used: Set<string>;
  refusal: AppError | undefined;
  /** Resolves when what is posted is there; undefined for at once. */
  answer: Promise<void> | undefined;
  /** Posts that were tried. */
  tries: number;
  nowMs: number;
}

let world: World;
let waits: { readonly atMs: number; readonly run: () => void }[];
let notices: ModeratorNotices;

/** A process on the same database. */
const createProcess = (): ModeratorNotices =>
  createModeratorNotices({
    spaces: { of: async () => ({ moderators: world.setting }) as SpaceChoices },
    platforms: {
      find: () => ({ feed: { link: ({ id }: { id: string }) => `https://test/${id}` } }) as never,
    },
    post: async (to, content) => {
      world.tries += 1;
      await world.answer;
      if (world.refusal) throw world.refusal;
      world.posts.push({ to, content });
    },
    quota: {
      tryTake: async (name) => {
        if (world.used.has(name)) return false;
        world.used.add(name);
        return true;
      },
    },
    texts,
    log: silentLog,
    now: () => world.nowMs,
    after: (delayMs, run) => {
      waits.push({ atMs: world.nowMs + delayMs, run });
      return () => undefined;
    },
  });

const settle = async (): Promise<void> => {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
};
const minute = async (): Promise<void> => {
  world.nowMs += MINUTE_MS;
  const due = waits.filter(({ atMs }) => atMs <= world.nowMs);
  waits = waits.filter(({ atMs }) => atMs > world.nowMs);
  for (const { run } of due) run();
  await settle();
};
const said = (): string[] => world.posts.map(({ content }) => plainText(content.text));
beforeEach(() => {
  world = {
    posts: [],
    setting: { channel: 'mods', locale: 'en' },
    used: new Set(),
    refusal: undefined,
    answer: undefined,
    tries: 0,
    nowMs: 0,
  };
  waits = [];
  notices = createProcess();
});

describe("a moderators' channel", () => {
  it('gets one line of an outage, and one of its end', async () => {
    const error = new AppError('unavailable', 'the service answered 500');
    for (const _ of [1, 2, 3]) notices.paused(SPACE, error);
    await settle();
    for (const _ of [1, 2, 3]) notices.resumed(SPACE);
    await settle();
    expect(said()).toHaveLength(2);
    expect(said()[1]).toBe(sentence('moderators.resumed'));
  });

  it('gets one line of recordings that wait, and one when they wait no more', async () => {
    const error = new AppError('unavailable', 'the service answered 500');
    notices.recordingsResumed(SPACE);
    for (const _ of [1, 2, 3]) notices.recordingsPaused(SPACE, error);
    await settle();
    for (const _ of [1, 2, 3]) notices.recordingsResumed(SPACE);
    await settle();
    expect(said()).toHaveLength(2);
    expect(said()[1]).toBe(sentence('moderators.recordings-resumed'));
  });

  it('gets what is proposed for the glossary, with an answer to press, and no markup of it', async () => {
    const term = { term: '*fox*\u202E', translation: '`狐`', language: 'ja' };
    notices.proposed(SPACE, { id: 'p1', authorId: 'bob', term });
    await settle();
    expect(said()[0]).toContain('Japanese: *fox* → `狐`');
    const [post] = world.posts;
    expect(JSON.stringify(post?.content.text)).toContain('{"kind":"code","text":"*fox*"}');
    expect(post?.content.controls?.map(({ press }) => press)).toEqual([
      'glossary take:p1',
      'glossary drop:p1',
    ]);
  });

  it('gets one line a day of the daily limit, and none of other reasons', async () => {
    const row = { ref: { channel: GENERAL, id: '1' }, purpose: 'watch' };
    for (const reason of ['bot', 'daily-limit', 'daily-limit'])
      notices.settled(row, { state: 'skipped', reason });
    notices.settled(row, { state: 'posted' });
    await settle();
    const midnightMs = Math.ceil((world.nowMs + 1) / DAY_MS) * DAY_MS;
    const reset = timestamp(midnightMs / 1_000, 't');
    expect(said()).toEqual([sentence('moderators.limit', { reset })]);
  });

  it('gets one line an hour of a space that brings too much', async () => {
    const from = { platform: 'other', id: 'flood' };
    for (const _ of [1, 2, 3]) notices.flooded(GENERAL, from, 300);
    await settle();
    expect(said()).toHaveLength(1);
    expect(said()[0]).toContain('Other');
    world.used.clear();
    world.nowMs += 60 * MINUTE_MS;
    notices.flooded(GENERAL, from, 300);
    await settle();
    expect(said()).toHaveLength(2);
  });

  it('gets a line of each link and of its end', async () => {
    notices.linked(GENERAL, 'linked', ['#elsewhere']);
    await settle();
    world.used.clear();
    notices.linked(GENERAL, 'unlinked', ['#elsewhere']);
    await settle();
    expect(said()).toHaveLength(2);
    expect(said()[0]).toContain('#elsewhere');
  });

  it('gets a line of a channel whose older messages it may not read', async () => {
    const params = { from: 'noon', until: 'one' };
    notices.told(GENERAL, { key: 'autotranslate.gap-forbidden', params }, 'gaps');
    await settle();
    expect(said()).toHaveLength(1);
    expect(said()[0]).toContain(
      sentence('autotranslate.gap-forbidden', { from: 'noon', until: 'one' }),
    );
  });

  it('gets the line of the end of a pause where it got that of a beginning, and of each channel apart', async () => {
    const pause = async (isBeginning: boolean, of = GENERAL): Promise<void> => {
      const key = `autotranslate.${isBeginning ? 'paused-linked' : 'resumed-here'}` as const;
      notices.pauseTold(of, { key, params: { name: String(world.posts.length) } }, of, isBeginning);
      await settle();
    };
    const resumed = (name: string): string => sentence('autotranslate.resumed-here', { name });
    await pause(true);
    // Somebody else begins it, too, at a time when the rate is used up.
    await pause(true);
    await pause(false);
    expect(said()).toEqual([expect.anything(), expect.stringContaining(resumed('1'))]);
    await pause(true);
    await pause(false);
    expect(said()).toHaveLength(2);
    // A process that began since knows of no pause.
    await pause(false, { ...GENERAL, id: 'other' });
    expect(said()).toHaveLength(3);
    world.used.clear();
    await pause(true);
    expect(said()).toHaveLength(4);
  });

  it('gets lines in the language of the one who chose it', async () => {
    world.setting = { channel: 'mods', locale: 'de' };
    notices.settled(
      { ref: { channel: GENERAL, id: '1' }, purpose: 'watch' },
      { state: 'skipped', reason: 'daily-limit' },
    );
    await settle();
    expect(said()).toEqual([expect.stringContaining('Tageslimit')]);
  });

  it('is told before the program stops what is being said, and what could not be', async () => {
    world.refusal = new AppError('unavailable', 'down');
    notices.linked(GENERAL, 'linked', ['#elsewhere']);
    await settle();
    world.refusal = undefined;
    notices.recordingsPaused(SPACE, new AppError('timeout', 'late'));
    await notices.drain();
    expect(said().map((line) => line.includes('#elsewhere'))).toEqual([true, false]);
  });

  it.each(['unavailable', 'forbidden', 'not-found'] as const)(
    'gets what it could not get (%s) once it can, in order and each once',
    async (code) => {
      world.refusal = new AppError(code, 'refused');
      notices.linked(GENERAL, 'linked', ['#first']);
      await settle();
      world.used.clear();
      notices.linked({ ...GENERAL, id: 'other' }, 'linked', ['#second']);
      notices.recordingsPaused(SPACE, new AppError('timeout', 'late'));
      for (let count = 0; count < 5; count += 1) await minute();
      world.refusal = undefined;
      for (let count = 0; count < 12; count += 1) await minute();
      expect(said()).toHaveLength(3);
      expect(said()[0]).toContain('#first');
      expect(said()[1]).toContain('#second');
    },
  );

  it('is tried no more than every ten minutes while it is gone, for about a day', async () => {
    world.refusal = new AppError('not-found', 'gone');
    for (let count = 0; count < 30; count += 1) {
      world.used.clear();
      notices.linked(GENERAL, 'linked', [`#${count}`]);
      await settle();
    }
    expect(world.tries).toBe(1);
    for (let count = 0; count < 2 * 24 * 60; count += 1) await minute();
    expect(world.tries).toBeGreaterThan(100);
    expect(world.tries).toBeLessThan(160);
    world.refusal = undefined;
    await notices.drain();
    expect(said()).toEqual([]);
  });

  it('keeps ten lines while it is gone, and none of a space that was left', async () => {
    world.refusal = new AppError('not-found', 'gone');
    const fill = async (): Promise<void> => {
      for (let count = 0; count < 30; count += 1) {
        world.used.clear();
        notices.linked(GENERAL, 'linked', [`#${count}`]);
        await settle();
      }
    };
    await fill();
    notices.forgetSpace(SPACE);
    world.refusal = undefined;
    await notices.drain();
    expect(said()).toEqual([]);
    world.refusal = new AppError('not-found', 'gone');
    await fill();
    world.refusal = undefined;
    await minute();
    expect(said()).toHaveLength(10);
  });

  it('gets each line once, though the program stops while one is being said', async () => {
    world.refusal = new AppError('unavailable', 'down');
    notices.linked(GENERAL, 'linked', ['#elsewhere']);
    await settle();
    world.refusal = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    world.answer = promise;
    await minute();
    const drained = notices.drain();
    await settle();
    resolve();
    await drained;
    expect(said()).toHaveLength(1);
  });

  it('of a space that was left and joined again loses no line to what was being said before', async () => {
    world.refusal = new AppError('unavailable', 'down');
    notices.linked(GENERAL, 'linked', ['#former']);
    await settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.answer = promise;
    await minute();
    world.answer = undefined;
    notices.forgetSpace(SPACE);
    world.used.clear();
    notices.linked(GENERAL, 'linked', ['#new']);
    await settle();
    resolve();
    await settle();
    world.refusal = undefined;
    await notices.drain();
    expect(said()).toEqual([expect.stringContaining('#new')]);
  });

  it('of a space that was left and joined again is told anew of what it was told before', async () => {
    const error = new AppError('unavailable', 'the service answered 500');
    const tell = async (): Promise<void> => {
      world.used.clear();
      notices.paused(SPACE, error);
      notices.recordingsPaused(SPACE, error);
      notices.flooded(GENERAL, { platform: 'test', id: 'other' }, 30);
      await settle();
    };
    await tell();
    await tell();
    expect(said()).toHaveLength(3);
    notices.forgetSpace(SPACE);
    await tell();
    expect(said()).toHaveLength(6);
  });

  it('gets no proposal later: it is listed anyway', async () => {
    world.refusal = new AppError('unavailable', 'down');
    const term = { term: 'fox', translation: '狐', language: 'ja' };
    notices.proposed(SPACE, { id: 'p1', authorId: 'bob', term });
    await settle();
    world.refusal = undefined;
    await minute();
    expect(said()).toEqual([]);
  });

  it('is told nothing where none was chosen', async () => {
    world.setting = undefined;
    notices.linked(GENERAL, 'linked', ['#elsewhere']);
    await minute();
    await notices.drain();
    expect(said()).toEqual([]);
  });
});
