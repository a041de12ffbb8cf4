import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { sentence } from '../fakes/sentences.ts';
import { withBot } from './support.ts';

const bot = withBot();

/** The name of a control of a message that begins so. */
const pressOf = ({ components }: FakeMessage, begins: string): string =>
  components
    .flatMap((row) => (row['components'] as { custom_id: string }[]).map(({ custom_id: id }) => id))
    .find((id) => id.startsWith(begins))!;

/** A channel with lines, the third of another person, and somebody with a role who reads them. */
const open = (count: number) => {
  const at = bot.place();
  const readers = at.guild.role('readers', ['ViewChannel', 'ReadMessageHistory']);
  const permissions = {
    everyone: { deny: ['ViewChannel'] },
    bot: { allow: ['ViewChannel', 'ReadMessageHistory'] },
    [readers.id]: { allow: ['ViewChannel'] },
  } as const;
  const channel = at.guild.channel({ permissions });
  const said = Array.from({ length: count }, (_, index) =>
    channel.say(index === 2 ? at.bob : at.ann, `${channel.id} line ${index + 1}.`),
  );
  const cat = bot.discord.user({ name: 'Cat' });
  at.guild.join(cat);
  at.guild.give(cat, readers);
  return {
    cat,
    /** Opts the other person out, deletes the fourth line, and edits the fifth. */
    change: async (): Promise<void> => {
      const panel = await bot.use(at, 'privacy', {}, at.bob);
      await bot.press(panel, 'privacy out', undefined, at.bob);
      said[3]!.delete();
      said[4]!.edit(`${channel.id} line 500.`);
    },
    leave: () => void (at.guild.state.members.get(cat.id)!.roles.length = 0),
    catchUp: () => bot.discord.command(cat, { channel, name: 'catchup', options: { to: 'es' } }),
    unseen: sentence('errors.channel-unseen', { channel: `<#${channel.id}>` }),
  };
};

/** Has the next answer of the service wait, and something happen meanwhile. */
const meanwhile = async (
  path: typeof PATHS.translate | typeof PATHS.chat,
  happens: () => unknown,
): Promise<void> => {
  const gate = Promise.withResolvers<void>();
  const before = bot.speech.seen.length;
  bot.speech.fail(path, { until: gate.promise });
  const isAsked = () => bot.speech.seen.slice(before).some((one) => one.path === path);
  await expect.poll(isAsked).toBe(true);
  await happens();
  gate.resolve();
};

const numbersIn = (shown: string): readonly string[] =>
  [...shown.matchAll(/line (\d+)\./g)].map(([, number]) => number!);
const LEFT = ['1', '2', '500', '6', '7', '8'];

it('a page holds nothing of who opts out, or of what is deleted or edited, while it is translated', async () => {
  const { change, catchUp } = open(8);
  const used = catchUp();
  await meanwhile(PATHS.translate, change);
  await used.until(({ shown }) => numbersIn(shown?.content ?? '').length > 0);
  expect(numbersIn(used.shown!.content)).toEqual(LEFT);
  expect(used.shown!.content).toContain(sentence('catchup.left-out', { count: 1 }));
});

it('a file holds nothing of who opts out, or of what is deleted or edited, while it is translated', async () => {
  const { cat, change, catchUp } = open(52);
  const used = catchUp();
  await used.until(({ shown }) => (shown?.content ?? '') !== '');
  const pressed = bot.discord.press(cat, used.shown!, pressOf(used.shown!, 'catchup file'));
  await meanwhile(PATHS.translate, change);
  await pressed.until(({ shown }) => shown?.attachments.length === 1);
  const { attachments, content } = pressed.shown!;
  expect(numbersIn(Buffer.from(attachments[0]!.bytes).toString()).slice(0, 6)).toEqual(LEFT);
  expect(numbersIn(content).slice(0, 6)).toEqual(LEFT);
});

it('a summary holds nothing of who opts out, or of what is deleted or edited, while it is written', async () => {
  const { change, catchUp } = open(12);
  const asked: string[] = [];
  bot.speech.answers = (question) => {
    asked.push(question);
    return 'so many lines';
  };
  const used = catchUp();
  await meanwhile(PATHS.chat, change);
  await used.until(({ shown, followUps }) =>
    [shown, ...followUps].some((one) => one?.content.includes('so many lines')),
  );
  // What was edited meanwhile may be edited again: the second summary does without it.
  expect(numbersIn(asked.at(-1)!).slice(0, 5)).toEqual(LEFT.filter((each) => each !== '500'));
});

it('nothing is shown to who loses the role that reads the channel while it is translated', async () => {
  const { leave, catchUp, unseen } = open(3);
  const used = catchUp();
  await meanwhile(PATHS.translate, leave);
  await used.until(({ shown }) => shown?.content.includes(unseen) === true);
  expect(numbersIn(used.shown!.content)).toEqual([]);
});
