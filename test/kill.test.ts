import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBot } from './fakes/bot.ts';
import { outcomesIn, startConversation } from './fakes/conversation.ts';

const KILLS = 12;
/** From before the program can be reached to the middle of its work. */
const LIFE_MS = { shortest: 0, longest: 600 };

describe('a program that is killed again and again while people talk', () => {
  it('answers each line once, in order, and none twice', async () => {
    await using bot = await createBot({ speed: 50 });
    await bot.start();
    const conversation = await startConversation(bot);
    const stopped = new AbortController();
    const talking = conversation.talk(80, stopped.signal);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { shortest, longest } = LIFE_MS;
      await delay(shortest + ((longest - shortest) * kill) / KILLS);
      await bot.kill();
      await bot.start();
    }
    stopped.abort();
    await talking;
    await conversation.answered(240_000);
    expect(conversation.faults()).toEqual([]);
    expect(bot.discord.pings).toEqual([]);
    await expect.poll(() => outcomesIn(bot.databaseFile)).toEqual({ posted: conversation.lines });
  }, 600_000);
});
