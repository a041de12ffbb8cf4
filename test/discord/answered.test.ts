import { expect, it } from 'vitest';
import { copiesOf, copyOf } from './shown.ts';
import { sentence } from '../fakes/sentences.ts';
import { withBot } from './support.ts';

const bot = withBot();
/** The mentions that have notified since the last call. */
const pings = () => bot.discord.pings.splice(0).map(({ by, kind, id }) => `${by} ${kind} ${id}`);

it('an answer to a copy mentions its author in their channel, once, whatever it says', async () => {
  const at = await bot.linked();
  const { english, spanish, japanese, ann, bob } = at;
  const cat = bot.discord.user({ name: 'Cat' });
  at.guild.join(cat);
  const said = english.say(ann, 'Shall we have tea?');
  const copy = await copyOf(said, spanish);
  const answer = spanish.say(bob, `Sí, por favor ${ann.mention} ${cat.mention} @everyone`, {
    replyTo: copy,
  });
  const shown = await copyOf(answer, english);
  expect(shown.content).toMatch(new RegExp(`^-# ↪ <@${ann.id}>: \\[Shall we have tea\\?\\]`));
  await copyOf(answer, japanese);
  expect(pings()).toEqual([`post user ${ann.id}`]);

  answer.edit(`Sí, con azúcar ${ann.mention}`);
  await copyOf(answer, english, (content) => content.includes('con azúcar'));
  expect(copiesOf(answer, english)).toHaveLength(1);
  expect(copiesOf(answer, english)[0]?.content).toContain(`-# ↪ <@${ann.id}>`);
  expect(pings()).toEqual([]);
});

it('a long answer with a file that is refused mentions once, though it is posted again', async () => {
  const at = await bot.linked();
  const { english, spanish, ann, bob } = at;
  const copy = await copyOf(english.say(ann, 'Tell me of your day'), spanish);
  const route = 'POST /webhooks/:id/:token';
  const body = { code: 40005, message: 'Request entity too large' };
  const isFile = ({ body: sent }: { body: Record<string, unknown> }): boolean =>
    (sent['attachments'] as readonly unknown[] | undefined)?.length === 1;
  bot.discord.fail(route, { status: 413, body }, { while: isFile });
  const answer = spanish.say(bob, 'Un día muy largo y bonito. '.repeat(90), {
    replyTo: copy,
    attachments: [{ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a') }],
  });
  await english.until(() => copiesOf(answer, english).length >= 2);
  await bot.settled(at);
  bot.discord.heal();
  expect(pings()).toEqual([`post user ${ann.id}`]);
});

it('nobody is mentioned who does not want it, whom moderators keep from it, or who has left', async () => {
  const at = await bot.linked();
  const { english, spanish, guild, ann, bob } = at;
  const copy = await copyOf(english.say(ann, 'Shall we have tea?'), spanish);
  const answered = async (text: string): Promise<string> =>
    (await copyOf(spanish.say(bob, text, { replyTo: copy }), english)).content;
  const NAMED = '**Ann**: Shall we have tea?';

  const own = await bot.use(at, 'privacy', {}, ann);
  await bot.press(own, 'privacy mentions:off', undefined, ann);
  expect(own.content).toContain(sentence('privacy.mentions-are-off'));
  expect(await answered('Sí, con leche y azúcar')).toContain(NAMED);
  await bot.press(own, 'privacy mentions:on', undefined, ann);

  const settings = await bot.use(at, 'settings');
  await bot.press(settings, 'settings mentions:off', undefined, guild.owner);
  expect(settings.content).toContain(sentence('settings.mentions-are-off'));
  expect(await answered('Sí, pero sin leche')).toContain(NAMED);
  await bot.press(settings, 'settings mentions:on', undefined, guild.owner);
  expect(pings()).toEqual([]);

  await answered('Sí, con mucho gusto');
  expect(pings()).toEqual([`post user ${ann.id}`]);

  guild.leave(ann);
  expect(await answered('No, muchas gracias')).toContain('Shall we have tea?');
  expect(pings()).toEqual([]);
});
