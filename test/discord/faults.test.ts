import { describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage } from '../fakes/discord/index.ts';
import { bodyOf, copiesOf, copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';

// Longer than any request takes that does not hang, beside so many others on a busy machine.
const bot = withBot({ timeoutMs: 5_000 });
type Effect = Parameters<typeof bot.discord.fail>[1];

const limited = (seconds: number): Effect => ({
  status: 429,
  body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
  headers: { 'retry-after': String(seconds) },
});

const EFFECTS: readonly Effect[] = [
  { status: 500 },
  { status: 502 },
  { reset: 'before' },
  { reset: 'after' },
  { close: 'before' },
  { close: 'after' },
  { hang: true },
  { hang: 'after' },
  limited(0.1),
];

/** Spoils the next requests of a route that have `id` in their path. */
const spoil = (route: string, id: string, effect: Effect, times: number): void => {
  let left = times;
  bot.discord.fail(route, effect, {
    while: ({ path }) => path.includes(id) && (left -= 1) >= 0,
  });
};

/** How often is sent, one time after the other, what may be sent twice. */
const TRIES = 4;

/** Every effect by itself, and those that are soon over so often that the message has to wait. */
const eachOf = (run: (effect: Effect, times: number) => Promise<void>, tries = TRIES) =>
  Promise.all([
    ...EFFECTS.map((effect) => run(effect, 1)),
    ...EFFECTS.filter((effect) => !('hang' in effect)).map((effect) => run(effect, tries + 1)),
  ]);

const WORDS = ['first', 'second', 'third', 'fourth'];
const talk = (by: Place, channel: FakeChannel): FakeMessage[] =>
  WORDS.map((word) => channel.say(by.ann, `This is the ${word} of our sentences`));

describe.concurrent('whatever a request meets', () => {
  it('replies are posted once, in order', async () => {
    await eachOf(async (effect, times) => {
      const at = await bot.reading();
      spoil('POST /channels/:id/messages', at.channel.id, effect, times);
      const said = talk(at, at.channel);
      await replyTo(said.at(-1)!);
      const answered = at.channel.messages.flatMap(({ replyTo: to }) => to ?? []);
      expect(answered).toEqual(said.map(({ id }) => id));
    });
  });

  it('copies are posted once, in order', async () => {
    await eachOf(async (effect, times) => {
      const at = await bot.linked();
      await copyOf(at.english.say(at.ann, 'Something to begin with'), at.spanish);
      spoil('POST /webhooks/:id/:token', at.spanish.webhooks[0]!.id, effect, times);
      const said = talk(at, at.english);
      await copyOf(said.at(-1)!, at.spanish);
      const order = textsIn(at.spanish).flatMap((text) => text.match(/the \w+ of our/g) ?? []);
      expect(order).toEqual(WORDS.map((word) => `the ${word} of our`));
    }, 1);
  });

  it('edits are shown, and what was deleted is taken away', async () => {
    await eachOf(async (effect, times) => {
      const [here, there] = await Promise.all([bot.reading(), bot.linked()]);
      const [replied, gone] = talk(here, here.channel) as [FakeMessage, FakeMessage];
      const [copied, lost] = talk(there, there.english) as [FakeMessage, FakeMessage];
      await Promise.all([replied, gone].map((one) => replyTo(one)));
      await Promise.all([copied, lost].map((one) => copyOf(one, there.spanish)));
      await Promise.all([bot.settled(here), bot.settled(there)]);
      const hook = there.spanish.webhooks[0]!.id;
      for (const method of ['PATCH', 'DELETE']) {
        spoil(`${method} /channels/:id/messages/:id`, here.channel.id, effect, times);
        spoil(`${method} /webhooks/:id/:token/messages/:id`, hook, effect, times);
      }
      replied.edit('This was changed afterwards');
      copied.edit('This was changed afterwards');
      gone.delete();
      lost.delete();
      await replyTo(replied, (text) => text.includes('changed afterwards'));
      await copyOf(copied, there.spanish, (text) => text.includes('changed afterwards'));
      await here.channel.until(() => repliesTo(gone).length === 0);
      await there.spanish.until(() => copiesOf(lost, there.spanish).length === 0);
      expect(there.spanish.messages).toHaveLength(3);
      expect(copiesOf(copied, there.spanish).map(bodyOf)).toEqual([
        'es:This was changed afterwards',
      ]);
    });
  });

  it('what a webhook may not post for long, the bot says at once', async () => {
    const at = await bot.linked();
    await copyOf(at.english.say(at.ann, 'Something to begin with'), at.spanish);
    spoil('POST /webhooks/:id/:token', at.spanish.webhooks[0]!.id, limited(30), 1);
    const copy = await copyOf(at.english.say(at.ann, 'This cannot wait so long'), at.spanish);
    expect(copy.author).toBe('Dragoman');
    expect(bodyOf(copy)).toBe('**Ann**: es:This cannot wait so long');
  });
});

// Not beside the others, whose translations the service would refuse as well.
it('a translation that the service cannot make yet is made when it can, in order', async () => {
  const at = await bot.reading();
  bot.speech.fail('/translate/', ...Array.from({ length: 9 }, () => ({ status: 503 })));
  const said = talk(at, at.channel);
  await replyTo(said.at(-1)!);
  const answered = at.channel.messages.flatMap(({ replyTo: to }) => to ?? []);
  expect(answered).toEqual(said.map(({ id }) => id));
});

describe('messages older than an hour', () => {
  it('take every edit in the end, however few Discord allows at once', async () => {
    const at = await bot.reading();
    const said = Array.from({ length: 8 }, (_, index) =>
      at.channel.say(at.ann, `This is what was said first, ${index}`),
    );
    for (const each of said) await replyTo(each);
    bot.discord.clock.advance(2 * 3_600_000);
    for (const each of said) each.edit('This is what was said later');
    for (const each of said) await replyTo(each, (text) => text.includes('later'));
    expect(at.channel.messages).toHaveLength(17);
  });
});
