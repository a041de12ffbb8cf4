import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { readEveryTable } from '../fakes/every-table.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { joinBy, wordsIn } from './group.ts';
import { installIn, openSlackBot, repliesTo, type Place, type SlackBot } from './support.ts';

const removedFrom = (server: string): string =>
  sentence('autotranslate.unlinked-why', { cause: 'left', server });

const install = async (bot: SlackBot, name: string): Promise<Place> => {
  const workspace = bot.slack.workspace({ name, installed: false });
  await installIn(bot, workspace, workspace.user({ isAdmin: true }));
  return bot.place(workspace);
};

/** Everything that stands in the database, as one text. */
const database = async ({ store }: SlackBot): Promise<string> =>
  JSON.stringify([...(await readEveryTable(store))]);

const isCleared = async (
  bot: SlackBot,
  { workspace, channel, ann, admin }: Place,
): Promise<void> => {
  await bot.slack.events.settled();
  await bot.store.written();
  const all = await database(bot);
  for (const id of [workspace.id, channel.id, ann.id, admin.id]) expect(all).not.toContain(id);
};

/** A place whose people have used all there is. */
const used = async (bot: SlackBot, at: Place): Promise<void> => {
  await bot.use(at, 'autotranslate reply languages:es');
  await bot.use(at, 'glossary add term:lighthouse translation:faro language:es');
  await bot.use(at, 'flags set emoji:taco language:es');
  await bot.use(at, 'language language:fr');
  await bot.use(at, 'translate good evening to:es', { part: 'es:good' });
  const said = at.channel.say(at.ann, `Good morning to ${at.workspace.id}`);
  await bot.slack.until(() => repliesTo(said).length === 1);
};

describe('a workspace that removes the app', () => {
  it('leaves nothing of it, and another workspace keeps all', async () => {
    await using bot = await openSlackBot('many');
    const [gone, kept] = [await install(bot, 'one'), await install(bot, 'two')];
    for (const at of [gone, kept]) await used(bot, at);
    expect(await database(bot)).toContain(gone.admin.id);
    gone.workspace.uninstall();
    await isCleared(bot, gone);
    expect(await bot.use(kept, 'glossary list', { part: 'light' })).toContain('lighthouse');
    const said = kept.channel.say(kept.ann, 'Good evening to all of you');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(bot.errors).toEqual([]);
  });

  it('leaves the channels that it was linked with to each other', async () => {
    await using bot = await openSlackBot('many');
    const [one, two, three] = [
      await install(bot, 'one'),
      await install(bot, 'two'),
      await install(bot, 'three'),
    ];
    for (const [at, language] of [
      [two, 'es'],
      [three, 'fr'],
    ] as const) {
      const answer = await bot.use(one, 'autotranslate link language:en', { part: '-' });
      const code = /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(answer)?.[0] ?? '';
      await joinBy(bot, code, language, at, one);
    }
    two.workspace.uninstall();
    await isCleared(bot, two);
    const server = `${two.workspace.id.toLowerCase()}.slack.com (Slack)`;
    const [start = ''] = removedFrom('|').split('|');
    await wordsIn(one.channel, start);
    expect(one.channel.posts.map(({ words }) => words).join('\n')).toContain(removedFrom(server));
    const said = one.channel.say(one.ann, 'Good evening to all of you');
    await three.channel.until((posts) => posts.some(({ words }) => words.includes('fr:Good')));
    three.workspace.uninstall();
    await isCleared(bot, three);
    const last = one.channel.say(one.ann, 'Good night to nobody else');
    const list = await bot.use(one, 'autotranslate list');
    expect(list).not.toMatch(sentenceLike('autotranslate.elsewhere'));
    expect([...said.replies, ...last.replies]).toEqual([]);
    expect(bot.errors).toEqual([]);
  });

  it('is forgotten once, in whatever order and however often Slack tells of it', async () => {
    await using bot = await openSlackBot('many');
    bot.slack.events.disturb({ copies: 3, jitterMs: 40 });
    for (const name of ['one', 'two', 'three']) {
      const at = await install(bot, name);
      await used(bot, at);
      at.workspace.uninstall();
      await isCleared(bot, at);
    }
    expect(bot.errors).toEqual([]);
  });

  it('begins anew when it installs the app again, whatever is told late', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    await used(bot, at);
    at.workspace.uninstall();
    await isCleared(bot, at);
    await installIn(bot, at.workspace, at.admin);
    expect(await bot.use(at, 'glossary list')).not.toContain('lighthouse');
    await bot.use(at, 'autotranslate reply languages:es');
    const told = ['app_uninstalled', 'tokens_revoked'];
    for (const record of bot.slack.events.log.filter(({ event }) =>
      told.includes(String(event['type'])),
    ))
      expect(await bot.slack.events.repeat(record)).toMatchObject({ acked: true });
    const said = at.channel.say(at.ann, 'Good evening to all of you');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(bot.errors).toEqual([]);
  });

  it('and installed it again keeps all while a late word of it finds the database broken', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    at.workspace.uninstall();
    await isCleared(bot, at);
    await installIn(bot, at.workspace, at.admin);
    await used(bot, at);
    await sql`ALTER TABLE installation RENAME TO broken`.execute(bot.store);
    // The token has to be read again.
    bot.slack.fail('users.info', { error: 'token_revoked' });
    bot.slack.command(at.bob, at.channel, '/dragoman', 'help');
    await expect.poll(() => bot.logged.join('\n')).toContain('no token of a workspace');
    const told = bot.slack.events.log.find(({ event }) => event['type'] === 'app_uninstalled');
    if (!told) throw new Error('nobody told of the removal');
    expect(await bot.slack.events.repeat(told)).toMatchObject({ acked: false });
    await sql`ALTER TABLE broken RENAME TO installation`.execute(bot.store);
    expect(await bot.slack.events.repeat(told)).toMatchObject({ acked: true });
    expect(await bot.use(at, 'glossary list', { part: 'light' })).toContain('lighthouse');
    expect(bot.errors.join('')).toMatch(/"type":"app_uninstalled".*could not be stored/);
  });

  it('while Slack leaves out events of it is not written of again', async () => {
    await using bot = await openSlackBot('many');
    const [gone, kept] = [await install(bot, 'one'), await install(bot, 'two')];
    for (const at of [gone, kept]) await bot.use(at, 'autotranslate reply languages:es');
    const { app, events } = bot.slack;
    const everything = app.eventsAnHour;
    app.eventsAnHour = 0;
    gone.channel.say(gone.ann, 'Good morning to nobody');
    await bot.slack.until(() => events.limited.length > 0);
    const said = kept.channel.say(kept.ann, 'Good evening to all of you');
    await bot.slack.until(() => events.limited.length > 1);
    app.eventsAnHour = everything;
    gone.workspace.uninstall();
    await isCleared(bot, gone);
    // What is left out of the other one is read later.
    await bot.slack.until(() => repliesTo(said).length === 1);
    await isCleared(bot, gone);
    expect(bot.errors).toEqual([]);
  });

  it('in the middle of translating is not written of again', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    await bot.use(at, 'autotranslate reply languages:es');
    bot.speech.fail(PATHS.translate, { hang: true });
    at.channel.say(at.ann, 'Good evening to all of you');
    await expect.poll(() => bot.speech.hanging()).toBe(1);
    at.workspace.uninstall();
    await isCleared(bot, at);
    await expect.poll(() => bot.speech.hanging()).toBe(0);
    const requests = bot.slack.requests.length;
    await installIn(bot, at.workspace, at.admin);
    await isWorking(bot, at);
    const posts = bot.slack.requests
      .slice(requests)
      .filter(({ method }) => method === 'chat.postMessage');
    expect(posts.filter(({ args }) => String(args['text']).includes('Good evening'))).toEqual([]);
    expect(bot.errors).toEqual([]);
  });

  it('in the middle of a file that is posted is not written of again', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    const other = bot.place(at.workspace);
    await bot.use(
      at,
      `autotranslate mirror channels:"<#${at.channel.id}> en, <#${other.channel.id}> es"`,
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    bot.slack.fail('files.completeUploadExternal', { until: promise });
    const bytes = new TextEncoder().encode('what is in the file');
    at.channel.say(at.ann, 'The plan for tomorrow morning', {
      files: [{ name: 'plan.txt', mimetype: 'text/plain', bytes }],
    });
    const isUploading = () =>
      bot.slack.requests.some(({ method }) => method === 'files.completeUploadExternal');
    await expect.poll(isUploading).toBe(true);
    at.workspace.uninstall();
    await isCleared(bot, at);
    resolve();
    await installIn(bot, at.workspace, at.admin);
    await isWorking(bot, at);
    expect(bot.errors).toEqual([]);
  });

  it('in the middle of a command is not written of again', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    const { promise, resolve } = Promise.withResolvers<void>();
    bot.speech.fail(PATHS.translate, { until: promise });
    bot.slack.command(at.admin, at.channel, '/translate', 'good evening to:es');
    await expect.poll(() => bot.translations().length).toBe(1);
    at.workspace.uninstall();
    await isCleared(bot, at);
    resolve();
    await expect.poll(() => bot.logged.join('')).toContain('translate');
    await isCleared(bot, at);
    await installIn(bot, at.workspace, at.admin);
    await isWorking(bot, at);
    expect(bot.errors).toEqual([]);
  });
});

/** Checks that everything works in a workspace, as after a first installation. */
const isWorking = async (bot: SlackBot, at: Place): Promise<void> => {
  expect(await bot.use(at, 'autotranslate list')).not.toContain('es');
  await bot.use(at, 'autotranslate reply languages:es');
  const said = at.channel.say(at.ann, 'It works again from now on');
  await bot.slack.until(() => repliesTo(said).length === 1);
};

describe('a token that is revoked alone', () => {
  it('keeps all there is, and what was written waits for a new installation', async () => {
    await using bot = await openSlackBot('many');
    const at = await install(bot, 'one');
    await used(bot, at);
    at.workspace.revoke();
    await expect
      .poll(async () => bot.store.selectFrom('installation').selectAll().execute())
      .toEqual([]);
    const said = at.channel.say(at.ann, 'Nobody translates this for now');
    await installIn(bot, at.workspace, at.admin);
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(await bot.use(at, 'glossary list', { part: 'light' })).toContain('lighthouse');
    expect(bot.errors).toEqual([]);
  });
});

describe('the one workspace of a token', () => {
  it('leaves nothing when it removes the app, and the log says what to do', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await used(bot, at);
    at.workspace.uninstall();
    await isCleared(bot, at);
    expect(bot.errors.join('')).toMatch(/removed from its workspace.*SLACK_BOT_TOKEN/);
  });

  it('goes on when another workspace removes the app, or its token', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    bot.slack.workspace({ name: 'another' }).uninstall();
    bot.slack.workspace({ name: 'a third one' }).revoke();
    await bot.slack.events.settled();
    const said = at.channel.say(at.ann, 'Good evening to all of you');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(bot.isReady()).toBe(true);
    expect(bot.errors).toEqual([]);
  });

  it('keeps all when only its token is revoked, and the log says what to do', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await used(bot, at);
    at.workspace.revoke();
    await expect.poll(() => bot.errors.join('')).toMatch(/revoked.*SLACK_BOT_TOKEN/);
    expect(await database(bot)).toContain(at.workspace.id);
    expect(bot.isReady()).toBe(false);
  });
});
