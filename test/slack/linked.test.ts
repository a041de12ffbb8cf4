import { describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { agreeIn, codeIn, installed, openBoth, openGroup, pressIn, wordsIn } from './group.ts';
import { createSpaceSettings } from '../../src/store/settings.ts';

describe('channels of two workspaces and a Discord server that were linked by codes', () => {
  it('show each message, its reply, its edit, its file and its end in all of them', async () => {
    await using group = await openGroup();
    const { bot, english, spanish, japanese, discord, guild } = group;
    const bytes = new TextEncoder().encode('what is in the file');
    const said = english.channel.say(english.ann, 'We meet at the old bridge', {
      files: [{ name: 'plan.txt', mimetype: 'text/plain', bytes }],
    });
    await wordsIn(spanish.channel, 'es:We meet at the old bridge');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes('ja:We meet at the old bridge')),
    );
    await spanish.channel.until((posts) => posts.some(({ state }) => state.files.length > 0));
    const mirror = japanese.messages.find(({ content }) => content.includes('ja:We meet'));
    expect(mirror?.author).toMatch(/^Ann · .+\.slack\.com$/);
    expect(mirror?.attachments.map(({ name }) => name)).toEqual(['plan.txt']);

    if (!mirror) throw new Error('there is no mirror');
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    japanese.say(bob, '橋で会いましょう、みなさん', { replyTo: mirror });
    await bot.slack.until(() =>
      said.replies.some(
        ({ words, shownAuthor }) => words.includes('en:橋で') && shownAuthor === 'Bob · Babel',
      ),
    );

    said.edit('We meet at the new bridge');
    await wordsIn(spanish.channel, 'es:We meet at the new bridge');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes('ja:We meet at the new bridge')),
    );
    said.delete();
    await japanese.until((messages) =>
      messages.every(({ content }) => !content.includes('ja:We meet')),
    );
    // The answer to the copy mentions the author of the original.
    expect(bot.slack.pings.map(({ who }) => who)).toEqual([`member ${english.ann.id}`]);
    expect(discord.pings).toEqual([]);
  });

  it('say where somebody is from who has a name like those of another server, though it never wrote', async () => {
    await using group = await openGroup();
    const { bot, english, japanese, discord, guild } = group;
    const spaces = createSpaceSettings(bot.store);
    for (const [platform, id] of [
      ['slack', english.workspace.id],
      ['discord', guild.id],
    ] as const)
      await spaces.change({ platform, id }, { serverNames: 'off' });
    for (const name of ['Administrator', 'Ivan Smith']) guild.join(discord.user({ name }));
    for (const name of [
      '\u0410dmin.istrat0r',
      'lvan Sm\u0456th',
      guild.owner.name,
      'BABEL',
      'Dragoman',
      'Eve',
    ]) {
      english.channel.say(english.workspace.user({ name }), `This is what ${name} says`);
      await japanese.until((messages) =>
        messages.some(({ content }) => content.includes(`what ${name} says`)),
      );
      const copy = japanese.messages.find(({ content }) => content.includes(`what ${name} says`));
      const isAlone = copy?.author === name;
      expect(isAlone, name).toBe(name === 'Eve');
    }
    for (const name of ['B\u043Eb', 'dragoman', 'Carl']) {
      const author = discord.user({ name });
      guild.join(author);
      japanese.say(author, `橋で会いましょう、みなさん ${name}`);
      await wordsIn(english.channel, `みなさん ${name}`);
      const copy = english.channel.posts.find(({ words }) => words.includes(`みなさん ${name}`));
      expect(copy?.shownAuthor, name).toBe(name === 'Carl' ? name : `${name} · Babel`);
    }
  });

  it('pin the copies of what is pinned, and unpin them', async () => {
    await using group = await openGroup();
    const { english, spanish, japanese, bot } = group;
    const said = english.channel.say(english.ann, 'These are the rules of the house');
    await wordsIn(spanish.channel, 'es:These are the rules');
    const copyIn = () => spanish.channel.posts.find(({ words }) => words.includes('es:These'));
    said.pin(english.ann);
    await bot.slack.until(() => copyIn()?.pinned === true);
    await japanese.until((messages) => messages.some(({ pinned }) => pinned));
    said.pin(english.ann, false);
    await bot.slack.until(() => copyIn()?.pinned === false);
  });

  it('copy reactions from one platform to the other, as long as somebody has theirs', async () => {
    await using group = await openGroup();
    const { english, spanish, japanese, guild, discord, bot } = group;
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    const said = english.channel.say(english.ann, 'We meet at the old bridge');
    await wordsIn(spanish.channel, 'es:We meet at the old bridge');
    await japanese.until((messages) => messages.some(({ content }) => content.includes('ja:We')));
    const copies = {
      slack: spanish.channel.posts.find(({ words }) => words.includes('es:We'))!,
      discord: japanese.messages.find(({ content }) => content.includes('ja:We'))!,
    };
    for (let at = 0; at < 7; at += 1)
      said.react(english.workspace.user({ name: `app ${at}`, isBot: true }), 'tada');
    said.react(english.ann, 'heart');
    await discord.until(() => copies.discord.reactions.some(({ emoji }) => emoji === '❤️'));
    await bot.slack.until(() => copies.slack.reactions.some(({ isOurs }) => isOurs));
    // Those of apps count for nothing.
    expect(copies.discord.reactions.map(({ emoji }) => emoji)).toEqual(['❤️']);
    copies.discord.react(bob, '👍');
    await bot.slack.until(() => said.reactions.some(({ emoji }) => emoji === '👍'));
    said.unreact(english.ann, 'heart');
    copies.discord.unreact(bob, '👍');
    await bot.slack.until(() =>
      [said, copies.slack].every(({ reactions }) => reactions.every(({ emoji }) => emoji === '🎉')),
    );
    await discord.until(() => copies.discord.reactions.length === 0);
  });

  it('show a thread of Discord as one thread, in which answers reach it', async () => {
    await using group = await openGroup();
    const { english, japanese, discord, guild, bot } = group;
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    const thread = japanese.startThread(bob, '夏休みの計画');
    thread.say(bob, '誰が一緒に行きますか、みなさん');
    await wordsIn(english.channel, 'en:夏休みの計画');
    const opening = english.channel.posts.find(({ words }) => words.includes('en:夏休みの計画'));
    await bot.slack.until(() =>
      Boolean(opening?.replies.some(({ words }) => words.includes('en:誰が'))),
    );
    if (!opening) throw new Error('there is no thread');
    english.channel.say(english.ann, 'I am coming along with you', { thread: opening });
    await discord.until(() =>
      thread.messages.some(({ content }) => content.includes('ja:I am coming along')),
    );
  });

  it('hide on Slack what Discord hides, which Slack itself cannot', async () => {
    await using group = await openGroup();
    const { english, japanese, discord, guild } = group;
    const bob = discord.user({ name: 'Bob' });
    guild.join(bob);
    japanese.say(bob, '犯人は ||secret|| です、みなさん\n||```\nsecret\n```||\n終わりです');
    await wordsIn(english.channel, '終わりです');
    const shown = english.channel.posts.find(({ words }) => words.includes('終わりです'));
    expect(JSON.stringify([shown?.text, shown?.blocks])).not.toContain('secret');
    expect(shown?.words.match(/█████/g)).toHaveLength(2);
  });

  it('are told who joined, take a code once, and end when one is left', async () => {
    await using group = await openGroup();
    const { bot, english, spanish, code } = group;
    await wordsIn(english.channel, 'This channel is now linked with');
    await wordsIn(spanish.channel, '#nihongo · Babel (Discord)');
    const other = bot.place(spanish.workspace);
    expect(
      await bot.use(other, `autotranslate link language:fr code:${code}`, { part: 'code' }),
    ).toContain('unknown');
    const list = await bot.use(english, 'autotranslate list', { part: '(Discord)' });
    expect(list).toContain('#nihongo · Babel (Discord)');
    // What ends is named, and asked for, first.
    const words = await bot.use(spanish, 'autotranslate off', { part: 'Babel (Discord)' });
    // A question is for whoever asked alone.
    expect(spanish.channel.posts.some((post) => post.words === words)).toBe(false);
    const end = `autotranslate end:${spanish.channel.id}`;
    const question = spanish.channel.ephemeralsFor(spanish.admin).at(-1)!;
    bot.slack.act(spanish.admin, question, end);
    await wordsIn(english.channel, 'no longer linked');
  });

  it('are told by its name who removed the bot, each in its language', async () => {
    await using group = await openGroup();
    const { english, spanish, japanese, guild, discord } = group;
    const name = `${spanish.workspace.state.domain}.slack.com (Slack)`;
    spanish.workspace.uninstall();
    await wordsIn(english.channel, 'no longer linked');
    await japanese.until((messages) =>
      messages.some(({ content }) => content.includes(name) && content.includes('解除')),
    );
    const told = english.channel.posts.find(({ words }) => words.includes('no longer linked'));
    expect(told?.words).toContain(name);
    guild.kickBot();
    await wordsIn(english.channel, '#nihongo · Babel (Discord)');
    await english.channel.until((posts) =>
      posts.some(({ words }) => /no longer linked.*#nihongo · Babel \(Discord\)/.test(words)),
    );
    expect(discord.pings).toEqual([]);
  });
});

describe('a channel whose own set-up a link had replaced', () => {
  it('has it back by one press on either platform once the link is over, as both sides are told', async () => {
    await using both = await openBoth();
    const { bot, discord } = both;
    const english = await installed(bot, 'one');
    const guild = discord.guild({ name: 'Babel' });
    const japanese = guild.channel({ name: 'nihongo' });
    const run = async (name: string, options: Record<string, string>) =>
      discord.command(guild.owner, { channel: japanese, name, options }).answer();
    await bot.use(english, 'autotranslate reply languages:de,fr', { part: 'German' });
    await run('autotranslate compact', { languages: 'ko' });
    const made = await bot.use(english, 'autotranslate link language:en', { part: '-' });
    const proposal = await run('autotranslate link', { language: 'ja', code: codeIn(made) });
    // Whoever enters a code reads before the press that the other side can remove the channel.
    const [, later = ''] = sentence('autotranslate.link-see-later', { channel: '|' }).split('|');
    expect(proposal.content).toContain(later.trim());
    const [ask = ''] =
      /autotranslate ask:[0-9a-f-]+\/\w+\/[\w-]+/.exec(JSON.stringify(proposal.components)) ?? [];
    discord.press(guild.owner, proposal, ask);
    await agreeIn(bot, english, ask);
    const [linked = ''] = sentence('autotranslate.linked-here', { channels: '|' }).split('|');
    await wordsIn(english.channel, linked);
    await bot.use(english, 'autotranslate off', { part: 'Babel (Discord)' });
    const question = english.channel.ephemeralsFor(english.admin).at(-1)!;
    bot.slack.act(english.admin, question, `autotranslate end:${english.channel.id}`);
    const own = () => english.channel.posts.find((post) => pressIn(post.blocks, 'former') !== '');
    await english.channel.until(() => own() !== undefined);
    bot.slack.act(english.admin, own()!, pressIn(own()!.blocks, 'former'));
    await wordsIn(english.channel, sentence('autotranslate.former-restored'));
    const list = await bot.use(english, 'autotranslate list', { part: 'German' });
    expect(list).toContain('French');
    const press = (): string =>
      /autotranslate former:[^"]+/.exec(
        JSON.stringify(japanese.messages.map(({ components }) => components)),
      )?.[0] ?? '';
    await japanese.until(() => press() !== '');
    const notice = japanese.messages.find(({ components }) =>
      JSON.stringify(components).includes('autotranslate former:'),
    )!;
    discord.press(guild.owner, notice, press());
    const restored = sentence('autotranslate.former-restored');
    await japanese.until((messages) => messages.some(({ content }) => content.includes(restored)));
    expect(japanese.messages.at(-1)?.content).toContain('Korean');
    expect(press()).toBe('');
  });
});
