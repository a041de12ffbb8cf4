import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBot } from './fakes/bot.ts';
import { outcomesIn, startConversation } from './fakes/conversation.ts';

const KILLS = 6;
/** Every so many kills the connection breaks before. */
const DROP_EVERY = 3;
/** From before the program can be reached to the middle of its work. */
const LIFE_MS = { shortest: 0, longest: 600 };

describe('a program that is killed again and again while people talk', () => {
  it('keeps one translation of each line, in order, in all three modes', async () => {
    await using bot = await createBot({ speed: 50 });
    await bot.start();
    const conversation = await startConversation(bot);
    const stopped = new AbortController();
    const talking = conversation.talk(80, stopped.signal);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { shortest, longest } = LIFE_MS;
      await delay(shortest + ((longest - shortest) * kill) / KILLS);
      if (kill % DROP_EVERY === 0) bot.discord.gateway.drop();
      await bot.kill();
      await bot.start();
    }
    stopped.abort();
    await talking;
    await conversation.settled(240_000);
    expect(conversation.faults()).toEqual([]);
    expect(bot.discord.pings).toEqual([]);
    // What was deleted before it was seen has no row.
    const others = (): Record<string, number> => {
      const { skipped: _, ...rest } = outcomesIn(bot.databaseFile);
      return rest;
    };
    await expect.poll(others).toEqual({ posted: conversation.lines - conversation.deleted });
  }, 600_000);
});
