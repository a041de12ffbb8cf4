import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { outcomesIn } from '../fakes/conversation.ts';
import { createSlackProcess } from '../fakes/slack-bot.ts';
import { startSlackConversation } from '../fakes/slack-conversation.ts';

const KILLS = 4;
const LINES_A_LIFE = 5;

it('a program that is killed again and again keeps one translation of each line as it stands, whatever is delivered how often and when', async () => {
  await using bot = await createSlackProcess({ speed: 60 });
  await bot.start();
  const conversation = await startSlackConversation(bot);
  bot.slack.events.disturb({ copies: 3, jitterMs: 200 });
  for (let kill = 0; kill < KILLS; kill += 1) {
    bot.slack.fail('chat.postMessage', { reset: 'after' });
    for (let line = 0; line < LINES_A_LIFE; line += 1) {
      conversation.say();
      await delay(60);
    }
    await delay((400 * kill) / KILLS);
    await bot.kill();
    await bot.start();
  }
  await conversation.settled(120_000);
  await bot.slack.events.settled();
  expect(conversation.faults()).toEqual([]);
  expect(bot.slack.pings).toEqual([]);
  // What was deleted before it was seen has no translation.
  const others = (): Record<string, number> => {
    const { skipped: _, ...rest } = outcomesIn(bot.databaseFile);
    return rest;
  };
  await expect.poll(others).toEqual({ posted: conversation.lines - conversation.deleted });
}, 300_000);
