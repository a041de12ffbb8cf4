import { describe, expect, it } from 'vitest';
import type { FakeChannel } from '../fakes/discord/index.ts';
import { BOT } from '../fakes/discord/permissions.ts';
import { sentence } from '../fakes/sentences.ts';
import { bodyOf, copyOf, textsIn } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

const threadIn = async (channel: FakeChannel): Promise<FakeChannel> => {
  await bot.discord.until(() => channel.threads.length > 0);
  return channel.threads[0] as FakeChannel;
};

describe('threads of linked channels', () => {
  it('are copied under the copy of their message, and answered there', async () => {
    const { english, spanish, japanese, ann, bob } = await bot.linked();
    const said = english.say(ann, 'Where do we meet tomorrow');
    const copy = await copyOf(said, spanish);
    const thread = said.startThread(bob, 'The meeting place');
    const first = thread.say(bob, 'At the old bridge, I think');
    const there = await threadIn(spanish);
    expect([there.id, there.name]).toEqual([copy.id, 'es:The meeting place']);
    expect(bodyOf(await copyOf(first, there))).toBe('es:At the old bridge, I think');
    const answer = there.say(ann, 'Prefiero la plaza de la iglesia');
    const back = await copyOf(answer, thread);
    expect(back).toMatchObject({ author: 'Ann' });
    await copyOf(answer, await threadIn(japanese));
    expect(spanish.threads).toHaveLength(1);
    expect(textsIn(english)).toEqual(['Where do we meet tomorrow']);
    thread.delete();
    await bot.discord.until(() => there.messages.every(({ content }) => !content.includes('es:')));
  });

  it('are begun under a line of the bot where they have no message, also in announcements', async () => {
    const { english, spanish, ann } = await bot.linked();
    const thread = english.startThread(ann, 'Plans for the summer');
    const said = thread.say(ann, 'Who is coming along this time');
    const there = await threadIn(spanish);
    await copyOf(said, there);
    const [line] = spanish.messages;
    expect(line?.content).toContain('es:Plans for the summer');
    expect(line?.content).toContain(said.id);
    expect(there.id).toBe(line?.id);
  });

  it('are left out of a channel without the permission, to which messages go on, and which the status names', async () => {
    const at = bot.place();
    at.guild.revoke('CreatePublicThreads', 'PinMessages', 'AddReactions');
    const { english, spanish, ann } = await bot.linked(at);
    const thread = english.startThread(ann, 'Plans for the summer');
    thread.say(ann, 'Who is coming along this time');
    const said = english.say(ann, 'Everybody may read that');
    const copy = await copyOf(said, spanish);
    said.pin();
    said.react(ann, '👍');
    await copyOf(english.say(ann, 'This comes after the pin'), spanish);
    const { content } = await bot.use({ ...at, channel: english }, 'status');
    const list = ['Create Public Threads', 'Pin Messages', 'Add Reactions'];
    for (const { id } of [english, spanish])
      expect(content).toContain(
        sentence('watch.lesser', { channel: `<#${id}>`, permissions: { list } }),
      );
    expect(content).not.toMatch(/❌|⏳/);
    expect(copy.pinned).toBe(false);
    expect(copy.reactions).toEqual([]);
    expect(textsIn(spanish)).toHaveLength(2);
    expect(spanish.threads).toEqual([]);
  });

  it('are left alone when they are private', async () => {
    const { english, spanish, ann, guild } = await bot.linked();
    const thread = english.startThread(ann, 'Just for us', undefined, 'private');
    thread.add(bot.discord.botUser);
    thread.say(ann, 'Nobody else may read this');
    await copyOf(english.say(ann, 'Everybody may read that'), spanish);
    await bot.settled({ guild, channel: english, ann, bob: ann });
    expect(spanish.threads).toEqual([]);
    expect(textsIn(spanish).join()).not.toContain('Nobody else');
  });

  it('follow the name of the original, and that it is archived and opened; what nobody changed stays', async () => {
    const { english, spanish, ann } = await bot.linked();
    const thread = english.startThread(ann, 'Plans for the summer');
    await copyOf(thread.say(ann, 'Who is coming along this time'), await threadIn(spanish));
    const there = await threadIn(spanish);
    thread.rename('Plans for the winter');
    await bot.discord.until(() => there.name === 'es:Plans for the winter');
    expect(thread.name).toBe('Plans for the winter');
    thread.archive();
    await bot.discord.until(() => there.archived);
    thread.reopen();
    await copyOf(thread.say(ann, 'It will be cold up there'), there);
    expect([thread.name, there.archived]).toEqual(['Plans for the winter', false]);
  });

  it('are locked with the original where the bot may, and only archived where it may not', async () => {
    const at = bot.place();
    const { english, spanish, ann } = await bot.linked(at);
    const begin = async (name: string): Promise<readonly [FakeChannel, FakeChannel]> => {
      const thread = english.startThread(ann, name);
      const said = thread.say(ann, 'Who is coming along this time');
      const copy = (): FakeChannel | undefined =>
        spanish.threads.find((one) => one.name === `es:${name}`);
      await bot.discord.until(() => copy() !== undefined);
      await copyOf(said, copy()!);
      return [thread, copy()!];
    };
    const [summer, verano] = await begin('Plans for the summer');
    const [winter, invierno] = await begin('Plans for the winter');
    winter.archive(true);
    await bot.discord.until(() => invierno.archived);
    expect(invierno.locked).toBe(false);
    at.guild.setBotPermissions([...BOT, 'ManageThreads']);
    summer.archive(true);
    await bot.discord.until(() => verano.archived && verano.locked);
  });
});

describe('linked forums', () => {
  it('show each post with its translated name, its messages and what is answered', async () => {
    const at = bot.place();
    const [english, spanish] = [{ name: 'help' }, { name: 'ayuda' }].map((part) =>
      at.guild.channel({ ...part, type: 'forum' }),
    ) as [FakeChannel, FakeChannel];
    const answer = await bot.use(at, 'autotranslate mirror', {
      channels: `<#${english.id}> en, <#${spanish.id}> es`,
    });
    expect(answer.content).toContain(sentence('autotranslate.mirror'));
    const post = english.startThread(at.ann, 'My tea is cold', 'It was hot this morning');
    const there = await threadIn(spanish);
    expect(there.name).toBe('es:My tea is cold');
    await bot.discord.until(() => there.messages.length === 2);
    expect(there.messages[0]?.content).toContain('es:My tea is cold');
    expect(there.messages[1]?.content).toContain('es:It was hot this morning');
    const said = there.say(at.bob, 'Pues caliéntalo otra vez, por favor');
    await copyOf(said, post);
    expect([english.threads.length, spanish.threads.length]).toEqual([1, 1]);
  });
});
