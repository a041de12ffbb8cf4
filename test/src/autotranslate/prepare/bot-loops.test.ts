import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, GENERAL, SPANISH, withScene } from '../support.ts';

const BOT = { id: 'parrot', name: 'parrot', kind: 'bot' } as const;
const TOLD = ['en', 'es'].map((locale) => sentence('autotranslate.bot-loop', {}, locale));

/** Bots are translated in a channel by itself, and in two that are linked. */
const WATCHES = [
  watchOf(GENERAL, { bots: true }),
  ...mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']).map((watch) => ({ ...watch, bots: true })),
];

describe('a bot that answers all that is posted', () => {
  const scene = withScene(WATCHES);

  /** Lets the bot answer what is new in channels, until nothing new comes or so many rounds are over; resolves with their number. */
  const talk = async (channels: readonly Channel[], most: number): Promise<number> => {
    const answered = new Set<string>();
    for (let round = 0; round < most; round += 1) {
      await scene.idle();
      const fresh = channels.flatMap((channel) =>
        scene.feed
          .messages(channel)
          .filter(({ ref, author }) => author.kind === 'ourselves' && !answered.has(ref.id)),
      );
      if (fresh.length === 0) return round;
      for (const { ref } of fresh) {
        answered.add(ref.id);
        await scene.say(ref.channel, `yes ${ref.id}`, { author: BOT });
      }
    }
    return most;
  };

  it.each([
    ['in one channel', GENERAL, [GENERAL]],
    ['over linked channels', ENGLISH, [ENGLISH, SPANISH]],
  ])('is left after three rounds %s, which is told once', async (_, place, channels) => {
    await scene.say(place, 'hello');
    expect(await talk(channels, 20)).toBeLessThan(9);
    const all = channels.flatMap((channel) => scene.feed.texts(channel));
    expect(all.filter((text) => TOLD.includes(text))).toHaveLength(1);
  });

  it('is left at once when a person writes again, who is translated', async () => {
    await scene.say(GENERAL, 'hello');
    await talk([GENERAL], 20);
    const before = scene.feed.messages(GENERAL).length;
    await scene.say(GENERAL, 'hello again');
    expect(scene.feed.texts(GENERAL)).toHaveLength(before + 1);
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toContain('hello again');
  });

  it('is translated each time where it answers people alone', async () => {
    for (let at = 0; at < 8; at += 1) {
      await scene.say(GENERAL, `question ${at}`);
      await scene.idle();
      await scene.say(GENERAL, `answer ${at}`, { author: BOT });
      await scene.idle();
    }
    expect(scene.feed.texts(GENERAL)).toContain('🇪🇸 es(answer 7)');
  });

  it('is translated where it posts without waiting for a translation', async () => {
    const release = scene.hold('news 0');
    for (let at = 0; at < 12; at += 1) await scene.say(GENERAL, `news ${at}`, { author: BOT });
    // What comes in the millisecond of a translation may answer it.
    scene.clock.aheadMs += 1;
    release();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toContain('🇪🇸 es(news 11)');
  });

  it('is translated in linked channels where nothing is posted to it', async () => {
    for (let at = 0; at < 8; at += 1) {
      await scene.say(ENGLISH, `news ${at}`, { author: BOT });
      await scene.idle();
    }
    expect(scene.feed.texts(SPANISH)).toHaveLength(8);
  });
});
