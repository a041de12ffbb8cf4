import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { outcomesIn } from '../fakes/conversation.ts';
import { createSlackProcess, startSlackConversation } from '../fakes/slack-bot.ts';

const KILLS = 3;
const LINES_A_LIFE = 4;

it('a program that is killed again and again answers each line once, whatever is delivered how often and when', async () => {
  await using bot = await createSlackProcess({ speed: 60 });
  await bot.start();
  const conversation = await startSlackConversation(bot);
  bot.slack.events.disturb({ copies: 3, jitterMs: 200 });
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (let line = 0; line < LINES_A_LIFE; line += 1) {
      conversation.say();
      await delay(60);
    }
    await delay((400 * kill) / KILLS);
    await bot.kill();
    await bot.start();
  }
  await conversation.answered(120_000);
  await bot.slack.events.settled();
  expect(conversation.faults()).toEqual([]);
  expect(bot.slack.pings).toEqual([]);
  await expect.poll(() => outcomesIn(bot.databaseFile)).toEqual({ posted: conversation.lines });
}, 300_000);
