import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { CommandUse } from '../fakes/discord/driver/interact.ts';
import type { FakeInteraction } from '../fakes/discord/driver/interaction.ts';
import { sentence } from '../fakes/sentences.ts';
import { withBot } from './support.ts';

const bot = withBot();
const INTERRUPTED = sentence('answers.interrupted');

/** The requests with which an answer is shown. */
const SHOWING = [
  'PATCH /webhooks/:id/:token/messages/:id',
  'DELETE /webhooks/:id/:token/messages/:id',
  'POST /webhooks/:id/:token',
];

/**
 * Uses a command, and ends the bot before its answer as a kill would: nothing more is shown, and the
 * database stays as it was.
 */
const interrupt = async (
  use: CommandUse,
  isUnderWay: (used: FakeInteraction) => boolean,
): Promise<FakeInteraction> => {
  const { ann, channel } = bot.place();
  const used = bot.discord.command(ann, { channel, ...use });
  const awaited = () => bot.store.selectFrom('open_answer').selectAll().execute();
  await used.until(isUnderWay);
  await expect.poll(awaited).toHaveLength(1);
  const rows = await awaited();
  for (const route of SHOWING) bot.discord.fail(route, { status: 404 }, { while: () => true });
  await bot.stop();
  bot.discord.heal();
  bot.speech.heal();
  await expect.poll(awaited).toEqual([]);
  await bot.store.insertInto('open_answer').values(rows).execute();
  await bot.start();
  return used;
};

it('who waits for an answer that a restart interrupted is told so in its place', async () => {
  bot.speech.fail(PATHS.translate, { hang: true });
  const use = { name: 'translate', options: { text: 'good morning', to: 'es' } };
  const used = await interrupt(use, ({ deferred }) => deferred);
  await used.until(({ shown }) => shown?.content.includes(INTERRUPTED) ?? false);
});

it('an answer of which a part stands stays, and its asker is told beside it', async () => {
  bot.speech.fail(PATHS.chat, { cutAfter: 400, stall: true });
  const use = { name: 'ask', options: { question: 'What is the capital of France?' } };
  const used = await interrupt(use, ({ shown }) => shown !== undefined);
  await used.until(({ followUps }) => followUps.some((one) => one.content.includes(INTERRUPTED)));
  expect(used.shown?.content).not.toContain(INTERRUPTED);
});
