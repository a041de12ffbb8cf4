import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { sentence } from '../fakes/sentences.ts';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();
const INTERRUPTED = sentence('answers.interrupted');

/** Ends the bot while an answer is awaited, and leaves the database as a kill would. */
const kill = async (): Promise<void> => {
  const awaited = () => bot.store.selectFrom('open_answer').selectAll().execute();
  await expect.poll(awaited).toHaveLength(1);
  const rows = await awaited();
  await bot.stop();
  bot.speech.heal();
  await expect.poll(awaited).toEqual([]);
  await bot.store.insertInto('open_answer').values(rows).execute();
  await bot.start();
};

it('who used a command that a restart interrupted is told so', async () => {
  const { ann, channel } = bot.place();
  bot.speech.fail(PATHS.translate, { hang: true });
  bot.slack.command(ann, channel, '/dragoman', 'translate good morning to:es');
  await kill();
  const told = () => channel.ephemeralsFor(ann).filter(({ text }) => text.includes(INTERRUPTED));
  await bot.slack.until(() => told().length === 1);
  expect(await bot.store.selectFrom('open_answer').selectAll().execute()).toEqual([]);
});

it('who asked a question that a restart interrupted is told so under it', async () => {
  const { ann, workspace } = bot.place();
  bot.speech.fail(PATHS.chat, { hang: true });
  const said = workspace.direct(ann).say(ann, 'What is the capital of France?');
  await kill();
  const told = () => repliesTo(said).filter(({ words }) => words.includes(INTERRUPTED));
  await bot.slack.until(() => told().length === 1);
});
