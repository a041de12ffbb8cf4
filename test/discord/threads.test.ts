import { describe, expect, it } from 'vitest';
import type { FakeChannel } from '../fakes/discord/index.ts';
import { bodyOf, copyOf, replyTo, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();

const inThreads = async (languages: string): Promise<Place> => {
  const at = bot.place();
  await bot.use(at, 'autotranslate thread', { languages });
  return at;
};

const threadOf = async ({ channel }: Place, name: string): Promise<FakeChannel> => {
  await bot.discord.until(() => channel.threads.some((thread) => thread.name === name));
  return channel.threads.find((thread) => thread.name === name) as FakeChannel;
};

describe('a channel that can be read in threads', () => {
  it('has one standing thread for each language, with everybody’s name and picture', async () => {
    const at = await inThreads('es, ja');
    const said = [at.ann, at.bob].map((by) => at.channel.say(by, `This is what ${by.name} says`));
    const [spanish, japanese] = await Promise.all([
      threadOf(at, '🇪🇸 español'),
      threadOf(at, '🇯🇵 日本語'),
    ]);
    for (const each of said) await copyOf(each, japanese);
    const copies = await Promise.all(said.map((each) => copyOf(each, spanish)));
    expect(copies.map(bodyOf)).toEqual(['es:This is what Ann says', 'es:This is what Bob says']);
    expect(copies.map(({ author }) => author)).toEqual(['Ann', 'Bob']);
    expect(at.channel.threads).toHaveLength(2);
  });

  it('wakes a thread that fell asleep, and makes one anew that was deleted', async () => {
    const at = await inThreads('es');
    const first = at.channel.say(at.ann, 'The first of these sentences');
    const thread = await threadOf(at, '🇪🇸 español');
    await copyOf(first, thread);
    thread.archive();
    await copyOf(at.channel.say(at.ann, 'The second of these sentences'), thread);
    expect(thread.archived).toBe(false);
    thread.archive();
    first.edit('The first sentence was changed');
    await copyOf(first, thread, (text) => text.startsWith('es:The first sentence was changed'));
    thread.delete();
    const third = at.channel.say(at.ann, 'The third of these sentences');
    await bot.discord.until(() => at.channel.threads.length === 1);
    await copyOf(third, await threadOf(at, '🇪🇸 español'));
  });

  it('finds its thread again after a restart', async () => {
    const at = await inThreads('es');
    const first = at.channel.say(at.ann, 'What was said before the restart');
    const thread = await threadOf(at, '🇪🇸 español');
    await copyOf(first, thread);
    await bot.stop();
    await bot.start();
    await copyOf(at.channel.say(at.ann, 'What was said after the restart'), thread);
    expect(at.channel.threads).toHaveLength(1);
  });

  /** A thread with one translation in it, and a channel to talk on after a restart. */
  const restarting = async (meanwhile: (thread: FakeChannel) => void) => {
    const at = await inThreads('es');
    const first = at.channel.say(at.ann, 'What was said before the restart');
    const thread = await threadOf(at, '🇪🇸 español');
    await copyOf(first, thread);
    meanwhile(thread);
    await bot.stop();
    await bot.start();
    return { at, thread, said: at.channel.say(at.ann, 'What was said after the restart') };
  };

  it.each([
    ['renamed', (thread: FakeChannel) => thread.rename('hablar aquí')],
    [
      'renamed and archived',
      (thread: FakeChannel) => {
        thread.rename('hablar aquí');
        thread.archive();
      },
    ],
  ])('finds its thread again that people %s before a restart', async (_, change) => {
    const { at, thread, said } = await restarting(change);
    await copyOf(said, thread);
    expect(at.channel.threads).toHaveLength(1);
  });

  it('makes another thread in place of one that people locked before a restart', async () => {
    const { at, thread, said } = await restarting((one) => {
      one.rename('old');
      one.archive(true);
    });
    await copyOf(said, await threadOf(at, '🇪🇸 español'));
    expect(thread.messages).toHaveLength(1);
  });

  it('makes another thread in place of one that people deleted before a restart', async () => {
    const { at, said } = await restarting((one) => one.delete());
    await copyOf(said, await threadOf(at, '🇪🇸 español'));
    expect(at.channel.threads).toHaveLength(1);
  });
});

describe('threads of people in a watched channel', () => {
  it('are translated with their channel in place, archived ones when somebody wakes them', async () => {
    const at = await bot.reading();
    const said = at.channel.say(at.ann, 'Let us talk about this in a thread');
    await replyTo(said);
    const thread = said.startThread(at.ann, 'Details');
    expect((await replyTo(thread.say(at.bob, 'I have a question about it'))).content).toBe(
      '🇪🇸 es:I have a question about it',
    );
    const alone = at.channel.startThread(at.ann, 'Another one');
    await replyTo(alone.say(at.bob, 'And something else altogether'));
    thread.archive();
    await replyTo(thread.say(at.ann, 'This wakes the thread again'));
    expect(textsIn(at.channel).filter((text) => text.startsWith('🇪🇸'))).toHaveLength(1);
  });

  it('are translated in a forum, the first message of each post too', async () => {
    const at = bot.place();
    const forum = at.guild.channel({ type: 'forum', name: 'help' });
    await bot.use(at, 'autotranslate reply', { languages: 'es', channel: forum });
    const post = forum.startThread(at.ann, 'Help', 'My computer does not start any more');
    await replyTo(post.messages[0]!);
    await replyTo(post.say(at.bob, 'Did you switch it on before that?'));
  });
});
