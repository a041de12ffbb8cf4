import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { installIn, openSlackBot, repliesTo, type Place, type SlackBot } from './support.ts';

/** Two workspaces with the app, and a channel that they share ("Slack Connect"). */
const open = async () => {
  const bot = await openSlackBot('many');
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const workspace = bot.slack.workspace({ name, installed: false });
      const admin = workspace.user({ isAdmin: true, name: 'admin' });
      await installIn(bot, workspace, admin);
      return { workspace, admin, ann: workspace.user({ displayName: `Ann of ${name}` }) };
    }),
  );
  if (!one || !two) throw new Error('there are no workspaces');
  const channel = one.workspace.channel({
    members: [one.admin, one.ann, two.admin, two.ann],
    sharedWith: [two.workspace],
  });
  const placeOf = (of: typeof one): Place => ({ ...of, channel, bob: of.ann });
  return {
    bot,
    channel,
    one: placeOf(one),
    two: placeOf(two),
    [Symbol.asyncDispose]: async () => bot[Symbol.asyncDispose](),
  };
};

const answersTo = async (
  bot: SlackBot,
  { channel, ann }: Place,
  words: string,
): Promise<string> => {
  const said = channel.say(ann, words);
  await bot.slack.until(() => repliesTo(said).length > 0);
  await bot.slack.events.settled();
  const next = channel.say(ann, `${words}, as was said before`);
  await bot.slack.until(() => repliesTo(next).length > 0);
  expect(repliesTo(said)).toHaveLength(1);
  return repliesTo(said)[0]?.words ?? '';
};

describe('a channel that two workspaces with the app share', () => {
  it.each(['once', 'once for each workspace'])(
    'has each message translated once, whoever wrote it, when Slack tells of it %s',
    async (how) => {
      await using scene = await open();
      const { bot, one, two } = scene;
      bot.slack.app.tellsEachWorkspace = how !== 'once';
      // The workspace that Slack names is not the one in which the channel is watched.
      await bot.use(two, 'autotranslate reply languages:es');
      expect(await answersTo(bot, one, 'Good morning to all')).toContain('es:Good morning');
      expect(await answersTo(bot, two, 'Good evening to all')).toContain('es:Good evening');
      expect(bot.errors).toEqual([]);
    },
  );

  it('follows edits and deletions that either workspace is told of', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    await bot.use(two, 'autotranslate reply languages:es');
    for (const tellsEach of [false, true]) {
      bot.slack.app.tellsEachWorkspace = tellsEach;
      const said = one.channel.say(one.ann, 'The first words of it');
      await bot.slack.until(() => repliesTo(said).length === 1);
      said.edit('The final words of it');
      await bot.slack.until(() => repliesTo(said)[0]?.words.includes('final') ?? false);
      said.delete();
      await bot.slack.until(() => repliesTo(said).length === 0);
    }
    expect(bot.errors).toEqual([]);
  });

  it('is watched no longer once it is deleted, whichever workspace is told of it', async () => {
    await using scene = await open();
    const { bot, one, two, channel } = scene;
    // The workspace that Slack names is not the one in which the channel is watched.
    await bot.use(two, 'autotranslate reply languages:es');
    await answersTo(bot, one, 'Good morning to all');
    channel.delete();
    await expect
      .poll(async () => bot.store.selectFrom('channel_watch').selectAll().execute())
      .toEqual([]);
    expect(bot.errors).toEqual([]);
  });

  it('answers a flag once', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    bot.slack.app.tellsEachWorkspace = true;
    const said = one.channel.say(one.ann, 'Good morning to all of you');
    said.react(two.ann, 'flag-es');
    await bot.slack.until(() => repliesTo(said).length === 1);
    await bot.slack.events.settled();
    const next = one.channel.say(one.ann, 'Good evening to all of you');
    next.react(one.ann, 'flag-es');
    await bot.slack.until(() => repliesTo(next).length === 1);
    expect(repliesTo(said)).toHaveLength(1);
  });

  it('is set up by one of them, whose glossary applies, and the other is told so', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    await bot.use(one, 'autotranslate reply languages:es');
    for (const line of ['reply languages:fr', 'link language:fr'])
      expect(await bot.use(two, `autotranslate ${line}`, { part: 'shared' })).toContain(
        'another workspace',
      );
    await bot.use(two, 'autotranslate off');
    expect(await answersTo(bot, two, 'Good morning to all')).toContain('es:Good morning');
    one.workspace.uninstall();
    await bot.slack.events.settled();
    await expect
      .poll(async () => bot.store.selectFrom('channel_watch').selectAll().execute())
      .toEqual([]);
    await bot.use(two, 'autotranslate reply languages:fr');
    expect(await answersTo(bot, two, 'Good evening to all')).toContain('fr:Good evening');
    expect(bot.errors).toEqual([]);
  });

  it('names people of the other one whom Slack does not show, in the words of the event', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const hidden = two.workspace.user({ displayName: 'Zoe', hidden: true });
    const spanish = one.workspace.channel({ members: [one.admin] });
    await bot.use(
      one,
      `autotranslate mirror channels:"<#${one.channel.id}> en, <#${spanish.id}> es"`,
    );
    one.channel.say(hidden, 'Good morning from far away');
    await spanish.until((posts) => posts.some(({ shownAuthor }) => shownAuthor === 'Zoe'));
    expect(bot.errors).toEqual([]);
  });

  it('has files of the other one posted, which events name only', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const spanish = one.workspace.channel({ members: [one.admin] });
    await bot.use(
      one,
      `autotranslate mirror channels:"<#${one.channel.id}> en, <#${spanish.id}> es"`,
    );
    const bytes = new TextEncoder().encode('what is in the file');
    one.channel.say(two.ann, 'The plan for tomorrow morning', {
      files: [{ name: 'plan.txt', mimetype: 'text/plain', bytes }],
    });
    const posts = await spanish.until((all) => all.some(({ state }) => state.files.length > 0));
    const [file] = posts.flatMap(({ state }) => state.files);
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe('what is in the file');
    expect(file?.workspace.id).toBe(one.workspace.id);
  });

  it('does not let those who manage the other workspace moderate in this one', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const said = one.channel.say(one.ann, 'Good morning to all of you');
    bot.slack.messageShortcut(two.admin, said, 'translate');
    await bot.slack.until(() => one.channel.ephemeralsFor(two.admin).length > 0);
    bot.slack.command(two.admin, one.channel, '/dragoman', 'settings');
    await bot.slack.until(() => one.channel.ephemeralsFor(two.admin).length > 1);
    // They manage their own workspace; nothing of it is the first one's.
    const rows = await bot.store
      .selectFrom('space_setting')
      .select('choices')
      .where('space_id', '=', one.workspace.id)
      .execute();
    const choices = rows.map((row) => JSON.parse(row.choices) as object);
    expect(choices.flatMap(Object.keys)).toEqual(['greeted']);
  });
});

describe('an answer that grows', () => {
  it('is posted and edited where Slack refuses to stream, as it does between organisations', async () => {
    await using scene = await open();
    const { bot, one } = scene;
    bot.slack.fail('chat.startStream', { error: 'team_not_found' });
    const asked = one.workspace.direct(one.ann).say(one.ann, 'What is a dragoman?');
    await bot.slack.until(() => repliesTo(asked).length === 1);
    await expect.poll(() => repliesTo(asked)[0]?.words).toContain('You asked');
    expect(bot.speech.seen.filter(({ path }) => path === PATHS.chat)).toHaveLength(1);
    expect(bot.errors).toEqual([]);
  });
});
