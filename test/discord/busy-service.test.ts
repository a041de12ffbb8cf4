import { afterEach, describe, expect, it } from 'vitest';
import { createTokenBucket } from '../fakes/token-bucket.ts';
import { textsIn } from './shown.ts';
import { fastClock, withBot } from './support.ts';

const bot = withBot();

afterEach(() => {
  bot.speech.limit = undefined;
});

const MESSAGES = 60;

describe('a busy channel over a service that takes 5 requests a second', () => {
  it('gets every translation, in the order of what was said', async () => {
    const at = await bot.reading();
    bot.speech.limit = createTokenBucket(fastClock.nowMs, { perSecond: 5, burst: 8 });
    const before = bot.speech.seen.length;
    const said = Array.from({ length: MESSAGES }, (_, index) => `Something that is said, ${index}`);
    for (const text of said) at.channel.say(at.ann, text);
    await bot.settled(at);
    const replies = textsIn(at.channel).filter((text) => text.includes('es:'));
    expect(replies.map((text) => /es:[^\n]*/.exec(text)?.[0])).toEqual(
      said.map((text) => `es:${text}`),
    );
    expect(bot.speech.seen.length - before).toBeLessThan(MESSAGES * 1.6);
  });
});
