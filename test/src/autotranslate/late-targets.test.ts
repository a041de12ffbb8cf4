import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { lost, SPACE } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene } from './support.ts';

const rejecting = (error: AppError) => async (): Promise<never> => {
  throw error;
};
const refused = new AppError('unavailable', 'the token was revoked', { retryable: true });
const limited = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 30_000 });
const unanswered = new Set<() => void>();
const hanging = (): Promise<never> =>
  new Promise((_, reject) => unanswered.add(() => reject(lost())));
/** Ends what is not answered, as deadlines do. */
const giveUp = (): void => {
  for (const end of unanswered) end();
  unanswered.clear();
};

const TEN = Array.from({ length: 10 }, (_, at) => `${at}`);

/** Lets everything happen that waits for no time; fails where a condition is not met by then. */
const untilNow = async (isMet: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 20_000 && !isMet(); turn += 1) await setImmediate();
  expect(isMet()).toBe(true);
};

describe.each([
  ['cannot be reached', rejecting(lost())],
  ['refuses the token', rejecting(refused)],
  ['has to be waited for', rejecting(limited)],
  ['does not answer', hanging],
])('a linked channel that %s', (_, fault) => {
  const scene = withScene(linked());
  const shown = (of = JAPANESE): string[] =>
    scene.feed.texts(of).map((text) => /\((\d+)\)/.exec(text)?.[1] ?? text);

  it('delays nothing in the others, and gets everything in its order afterwards', async () => {
    scene.feed.sick.set(SPANISH.id, fault);
    await scene.say(ENGLISH, '0');
    await untilNow(() => shown().length === 1);
    vi.advanceTimersByTime(1_000);
    for (const text of TEN.slice(1)) {
      await scene.say(ENGLISH, text);
      await untilNow(() => shown().at(-1) === text);
    }
    expect(shown()).toEqual(TEN);
    scene.feed.sick.clear();
    giveUp();
    await scene.later();
    await scene.later();
    expect(shown(SPANISH)).toEqual(TEN);
    expect(shown()).toEqual(TEN);
    expect(Object.values(await scene.outcomes())).toEqual(TEN.map(() => 'posted'));
  });
});

describe('while a linked channel cannot be reached', () => {
  const scene = withScene(linked());
  const es = (): string[] => scene.feed.texts(SPANISH);
  const told = (of = ENGLISH): string[] =>
    scene.feed.texts(of).filter((text) => !/^\d$/.test(text));
  const fail = (): void => void scene.feed.sick.set(SPANISH.id, rejecting(lost()));
  const heal = (): void => scene.feed.sick.clear();

  it('the others write to each other as before', async () => {
    fail();
    await scene.say(JAPANESE, 'ja:1');
    await scene.say(ENGLISH, '2');
    await untilNow(() => scene.feed.texts(ENGLISH).length === 2);
    await untilNow(() => scene.feed.texts(JAPANESE).length === 2);
    heal();
    await scene.later();
    expect(es()).toEqual(['ada: es(ja:1) [🌐 inglés]', 'ada: es(2) [🌐 inglés]']);
  });

  it('what is edited appears as it is by then, and what is deleted not at all', async () => {
    fail();
    const [edited, deleted] = [await scene.say(ENGLISH, '1'), await scene.say(ENGLISH, '2')];
    await scene.say(ENGLISH, '3');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(edited.ref, '1b'));
    scene.feed.remove(deleted.ref);
    await scene.listener.messagesDeleted([deleted.ref]);
    await scene.idle();
    heal();
    await scene.later();
    await scene.later();
    expect(es()).toEqual(['ada: es(1b) [🌐 inglés]', 'ada: es(3) [🌐 inglés]']);
    expect(scene.feed.texts(JAPANESE)).toEqual(['ada: ja(1b) [🌐 英語]', 'ada: ja(3) [🌐 英語]']);
  });

  it('an edit and a deletion of what stands there come later', async () => {
    const [edited, deleted] = [await scene.say(ENGLISH, '1'), await scene.say(ENGLISH, '2')];
    await scene.idle();
    fail();
    await scene.listener.messageChanged(scene.feed.edit(edited.ref, '1b'));
    scene.feed.remove(deleted.ref);
    await scene.listener.messagesDeleted([deleted.ref]);
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual(['ada: ja(1b) [🌐 英語]']);
    heal();
    await scene.later();
    expect(es()).toEqual(['ada: es(1b) [🌐 inglés]']);
  });

  it('a restart delays nothing, loses nothing and doubles nothing', async () => {
    fail();
    for (const text of ['1', '2']) await scene.say(ENGLISH, text);
    await scene.idle();
    await scene.restart();
    const { ref, position } = await scene.say(ENGLISH, '3');
    scene.listener.messagesMissed([{ channel: ref.channel, newest: position }]);
    await untilNow(() => scene.feed.texts(JAPANESE).length === 3);
    heal();
    await scene.later();
    await scene.later();
    expect(es().map((text) => /\d/.exec(text)?.[0])).toEqual(['1', '2', '3']);
  });

  it('what waits is translated once, when it is posted', async () => {
    fail();
    for (const text of TEN) await scene.say(ENGLISH, text);
    await scene.idle();
    expect(scene.asked.get('es')).toBeLessThan(TEN.length);
    heal();
    await scene.later();
    await scene.later();
    expect(scene.asked.get('es')).toBe(TEN.length);
    expect((await scene.usage.today(SPACE)).messages).toBe(TEN.length);
  });

  it('a message that fails alone is given up after many tries', async () => {
    scene.feed.sick.set(SPANISH.id, async (mirror) => {
      if (mirror && plainText(mirror.content.text) === 'es(1)') throw lost();
    });
    for (const text of ['1', '2', '3']) await scene.say(ENGLISH, text);
    for (let minutes = 0; minutes < 25; minutes += 1) await scene.later();
    expect(es()).toEqual(['ada: es(2) [🌐 inglés]', 'ada: es(3) [🌐 inglés]']);
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ dead: 1, waiting: 0, late: [] });
  });

  it('nothing is given up for a day, and then one message after the other', async () => {
    fail();
    await scene.say(ENGLISH, '1');
    for (let hours = 0; hours < 23; hours += 1) {
      scene.clock.aheadMs += HOUR_MS;
      await scene.later();
    }
    await scene.say(ENGLISH, '2');
    await scene.later();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ dead: 0, waiting: 2 });
    scene.clock.aheadMs += HOUR_MS;
    await scene.later();
    await scene.later();
    expect(await scene.inbox.backlog(SPACE)).toMatchObject({ dead: 1, waiting: 1 });
    heal();
    await scene.later();
    expect(es()).toEqual(['ada: es(2) [🌐 inglés]']);
  });

  it('an answer to a message of it delays nothing, and is posted without the quote', async () => {
    const { ref } = await scene.say(SPANISH, 'es:1');
    await scene.idle();
    for (const fault of [rejecting(lost()), hanging]) {
      scene.feed.sick.set(SPANISH.id, fault);
      await scene.say(ENGLISH, '2', { replyTo: ref });
      for (let seconds = 0; seconds < 8; seconds += 1) {
        for (let turn = 0; turn < 100; turn += 1) await setImmediate();
        scene.clock.aheadMs += 1_000;
        vi.advanceTimersByTime(1_000);
      }
      await untilNow(() => scene.feed.texts(JAPANESE).at(-1) === 'ada: ja(2) [🌐 英語]');
      giveUp();
      scene.feed.sick.clear();
      await scene.later();
      await scene.say(ENGLISH, '3');
      await scene.idle();
    }
  });

  it('the channels that wait are told once, and when it is over', async () => {
    fail();
    await scene.say(ENGLISH, '1');
    await scene.later();
    await scene.say(ENGLISH, '2');
    await scene.later();
    await scene.restart();
    scene.listener.connected(SPACE.platform);
    await scene.later();
    const waiting = { language: 'Spanish', platform: 'place', count: 2 };
    expect((await scene.inbox.backlog(SPACE)).late).toEqual([
      { language: 'es', platform: 'place', waiting: 2 },
    ]);
    await expect.poll(() => told()).toEqual([sentence('autotranslate.late', waiting)]);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(2);
    heal();
    await scene.later();
    await scene.later();
    await expect
      .poll(() => told())
      .toEqual([
        sentence('autotranslate.late', waiting),
        sentence('autotranslate.late-over', waiting),
      ]);
  });

  it('a channel that cannot be told keeps no other from being told', async () => {
    const { platform } = scene.feed;
    const post = platform.post.bind(platform);
    vi.spyOn(platform, 'post').mockImplementation((to, ...rest) =>
      to.id === ENGLISH.id ? hanging() : post(to, ...rest),
    );
    fail();
    await scene.say(ENGLISH, '1');
    await scene.say(JAPANESE, 'ja:2');
    await scene.later();
    await scene.later();
    const notices = () => told(JAPANESE).filter((text) => !/^(?:ada|ja):/.test(text));
    await untilNow(() => notices().length === 1);
    giveUp();
  });

  it('a moment of it is told to nobody, however long others took to be posted before', async () => {
    fail();
    for (const text of ['1', '2', '3']) await scene.say(ENGLISH, text);
    await scene.idle();
    scene.feed.sick.set(SPANISH.id, async (mirror) => {
      if (mirror && plainText(mirror.content.text) === 'es(3)') throw lost();
      scene.clock.aheadMs += MINUTE_MS;
    });
    await scene.later();
    expect(es()).toHaveLength(2);
    expect(told()).toEqual([]);
  });

  it('a moment of it is told to nobody', async () => {
    for (let outage = 0; outage < 4; outage += 1) {
      fail();
      await scene.say(ENGLISH, '1');
      await scene.idle();
      heal();
      await scene.later();
    }
    expect(told()).toEqual([]);
    expect(es()).toHaveLength(4);
  });
});
