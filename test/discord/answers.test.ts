import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeInteraction } from '../fakes/discord/index.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `This is line number ${index}.`).join(' ');

type User = ReturnType<typeof bot.discord.user>;
type Channel = ReturnType<User['dm']>;

/** Asks the language model something that it answers so. */
const ask = (by: User, channel: Channel, answer: string): FakeInteraction => {
  bot.speech.answers = () => answer;
  return bot.discord.command(by, { channel, name: 'ask', options: { question: 'What is it?' } });
};

/** Sentences without any number: a translation has those of its source. */
const story = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const name = Array.from(String(index), (digit) => 'abcdefghij'.charAt(Number(digit))).join('');
    return `This is the line named ${name}.`;
  }).join(' ');

/** Has something translated that becomes this, and that is long enough for it. */
const translate = (by: User, channel: Channel, answer: string): FakeInteraction => {
  bot.speech.translate = () => answer;
  const options = { text: '请把一切都告诉我。'.repeat(500), to: 'en' };
  return bot.discord.command(by, { channel, name: 'translate', options });
};

const shownBy = (used: FakeInteraction): string =>
  [used.shown, ...used.followUps].map((one) => one?.content ?? '').join(' ');

const filesOf = ({ shown, followUps }: FakeInteraction): string[] =>
  [shown, ...followUps].flatMap((one) =>
    (one?.attachments ?? []).map(({ bytes }) => Buffer.from(bytes).toString()),
  );

const refusals = (): number[] =>
  bot.discord.requests.flatMap(({ status = 0 }) => (status >= 400 ? status : []));

describe('an answer', () => {
  it('that is long stands in several messages, whole and in order, without one refusal', async () => {
    const { channel, ann } = bot.place();
    const before = refusals().length;
    const answer = lines(180);
    const used = ask(ann, channel, answer);
    await used.until(() => shownBy(used) === answer);
    expect(used.followUps.length).toBeGreaterThan(1);
    expect(refusals().slice(before)).toEqual([]);
  });

  it('of the model notifies nobody, whatever it holds', async () => {
    const { channel, ann, guild } = bot.place();
    const role = guild.role('Everybody else');
    const used = ask(ann, channel, `Hi ${ann.mention} <@&${role.id}> @everyone @here <!channel>.`);
    await used.until(() => shownBy(used).includes('channel'));
    expect(bot.discord.pings).toEqual([]);
  });

  it('of 30,000 characters begins in the channel and is whole in a file', async () => {
    const { channel, ann } = bot.place();
    const answer = story(1_200);
    expect(answer.length).toBeGreaterThan(30_000);
    const used = translate(ann, channel, answer);
    await used.until(() => filesOf(used).includes(answer));
    expect(filesOf(used)).toHaveLength(1);
    expect(answer.startsWith(shownBy(used))).toBe(true);
  });

  it('keeps to its follow-ups where only the person’s account has the app', async () => {
    const ann = bot.discord.user({ name: 'Ann' });
    ann.install();
    const elsewhere = bot.discord.guild({ bot: false }).channel();
    const bob = bot.discord.user();
    for (const channel of [elsewhere, ann.dm(), ann.dmWith(bob)]) {
      const answer = story(1_200);
      const used = translate(ann, channel, answer);
      await used.until(() => filesOf(used).some((text) => text.endsWith(answer.slice(-30))));
      expect(used.followUps.length).toBeLessThanOrEqual(5);
    }
    expect(() => bot.discord.command(ann, { channel: ann.dm(), name: 'settings' })).toThrow();
  });

  it('works in direct messages, its buttons too', async () => {
    const ann = bot.discord.user({ name: 'Ann', locale: 'de' });
    ann.install();
    for (const channel of [ann.dm(), ann.dmWith(bot.discord.user())]) {
      const used = bot.discord.command(ann, { channel, name: 'privacy' });
      const panel = await used.answer();
      expect(panel.content).toContain(sentence('privacy.heading', {}, 'de'));
      await bot.press(panel, 'privacy export', undefined, ann);
      expect(panel.attachments).toHaveLength(1);
    }
  });

  it('that comes after a quarter of an hour goes on as a message', async () => {
    const { channel, ann } = bot.place();
    bot.speech.answers = () => {
      bot.discord.clock.advance(16 * 60_000);
      return 'It took its time to be found.';
    };
    bot.discord.command(ann, { channel, name: 'ask', options: { question: 'Where is it?' } });
    await channel.until((messages) =>
      messages.some(({ content }) => content === 'It took its time to be found.'),
    );
  });

  it('that is deleted while it is made is made no further', async () => {
    const { channel, ann } = bot.place();
    bot.speech.fail(PATHS.chat, { cutAfter: 500, stall: true });
    const used = ask(ann, channel, lines(10));
    await used.until(({ shown }) => shown !== undefined);
    channel.last!.delete();
    const next = ask(ann, channel, 'Something else.');
    await next.until(({ shown }) => shown?.content === 'Something else.');
    expect(channel.messages).toHaveLength(1);
  });

  it('says so when the service is away', async () => {
    const { channel, ann } = bot.place();
    bot.speech.fail(PATHS.chat, ...Array.from({ length: 4 }, () => ({ status: 503 })));
    const used = ask(ann, channel, 'Never said');
    await used.until(({ shown }) => shown?.content === `⚠️ ${sentence('errors.unavailable')}`);
  });
});

describe('while the service hangs', () => {
  it('commands are acknowledged, and languages, voices and terms completed', async () => {
    const at = bot.place();
    const { channel, ann } = at;
    await bot.use(at, 'glossary add', { term: 'Frostmourne' });
    for (const path of Object.values(PATHS))
      bot.speech.fail(path, ...Array.from({ length: 3 }, () => ({ hang: true }) as const));
    const used = ask(ann, channel, 'Never said');
    await used.until(({ acknowledged }) => acknowledged);
    const complete = (name: string, focused: string, typed: string) =>
      bot.discord.autocomplete(ann, { channel, name, focused, options: { [focused]: typed } });
    expect(await complete('translate', 'to', 'japan')).toContainEqual({
      name: 'Japanese · 日本語 (ja)',
      value: 'ja',
    });
    expect(await complete('say', 'voice', 'ada')).toEqual([]);
    const options = { term: 'frost' };
    expect(
      await bot.discord.autocomplete(at.guild.owner, {
        channel,
        name: 'glossary remove',
        focused: 'term',
        options,
      }),
    ).toEqual([{ name: 'Frostmourne', value: 'Frostmourne' }]);
    await bot.stop();
    await bot.start();
  });
});

describe('a direct message', () => {
  it('offers in /help what exists there, and tells nothing of the operator', async () => {
    const ann = bot.discord.user({ name: 'Ann' });
    ann.install();
    const usedBy = async (name: string): Promise<string> =>
      (await bot.discord.command(ann, { channel: ann.dm(), name }).answer()).content;
    const help = await usedBy('help');
    expect(help).toContain('/translate');
    for (const name of ['autotranslate', 'captions', 'join', 'settings'])
      expect(help).not.toContain(`/${name}`);
    const status = await usedBy('status');
    expect(status).toContain(sentence('status.service'));
    expect(status).not.toMatch(/SPEECH_API|SERVICE_|not only here/);
  });
});
