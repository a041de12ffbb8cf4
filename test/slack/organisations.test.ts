import { describe, expect, it } from 'vitest';
import type { FakeOrganisation, FakeUser, FakeWorkspace } from '../fakes/slack/index.ts';
import { HOUR_MS } from '../../src/async/clock.ts';
import { createAgreements } from '../../src/store/agreements.ts';
import { readEveryTable } from '../fakes/every-table.ts';
import {
  comeBack,
  openInstallPage,
  openSlackBot,
  repliesTo,
  type Place,
  type SlackBot,
} from './support.ts';

/** Installs the app for a whole organisation, in some of its workspaces. */
const installFor = async (
  bot: SlackBot,
  organisation: FakeOrganisation,
  workspaces: readonly [FakeWorkspace, ...FakeWorkspace[]],
  admin: FakeUser,
): Promise<number> => {
  const { address, cookie } = await openInstallPage(bot);
  const back = bot.slack.consentForAll(address, organisation, workspaces, admin);
  return (await comeBack(back, cookie)).status;
};

/** An organisation with two workspaces that have the app, and one that has not. */
const open = async () => {
  const bot = await openSlackBot('many');
  const organisation = bot.slack.organisation('Acme');
  const [one, two, three] = ['one', 'two', 'three'].map((name) => organisation.workspace(name)) as [
    FakeWorkspace,
    FakeWorkspace,
    FakeWorkspace,
  ];
  const admin = one.user({ isAdmin: true });
  expect(await installFor(bot, organisation, [one, two], admin)).toBe(200);
  return {
    bot,
    organisation,
    one,
    two,
    three,
    admin,
    [Symbol.asyncDispose]: async () => bot[Symbol.asyncDispose](),
  };
};

const translates = async (bot: SlackBot, at: Place): Promise<void> => {
  const said = at.channel.say(at.ann, `Good morning to ${at.workspace.id}`);
  await bot.slack.until(() => repliesTo(said).length === 1);
  expect(repliesTo(said)[0]?.words).toContain(`es:Good morning to ${at.workspace.id}`);
};

const database = async ({ store }: SlackBot): Promise<string> =>
  JSON.stringify([...(await readEveryTable(store))]);

describe('an organisation that installs the app as a whole', () => {
  it('has it in each workspace that it chose, also after a restart', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const places = [bot.place(one), bot.place(two)];
    for (const at of places) {
      await bot.use(at, 'autotranslate reply languages:es');
      await translates(bot, at);
    }
    await bot.stop();
    await bot.start();
    for (const at of places) await translates(bot, at);
    const wanting = bot.slack.requests.filter(({ method }) => method === 'users.conversations');
    expect(new Set(wanting.map(({ args }) => args['team_id']))).toEqual(new Set([one.id, two.id]));
    expect(wanting.map(({ result }) => result)).not.toContain('missing_argument');
    expect(bot.errors).toEqual([]);
  });

  it('finds what was written in each workspace while the program was away', async () => {
    await using scene = await open();
    const { bot, two } = scene;
    const at = bot.place(two);
    await bot.use(at, 'autotranslate reply languages:es');
    await bot.stop();
    const { events } = bot.slack.app;
    bot.slack.app.events = new Set();
    const said = at.channel.say(at.ann, 'Nobody is here to read this');
    // Slack sends again what came in a shorter time.
    await createAgreements(bot.store).write({ 'slack-events-taken': Date.now() - HOUR_MS });
    bot.slack.app.events = events;
    await bot.start();
    await bot.slack.until(() => repliesTo(said).length === 1);
  });

  it('keeps the settings of each workspace apart', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const [here, there] = [bot.place(one), bot.place(two)];
    await bot.use(here, 'glossary add term:lighthouse translation:faro language:es');
    expect(await bot.use(there, 'glossary list')).not.toContain('lighthouse');
    expect(await bot.use(here, 'glossary list', { part: 'lighthouse' })).toContain('faro');
  });

  it('gets App Home, shortcuts and answers in direct messages', async () => {
    await using scene = await open();
    const { bot, two } = scene;
    const at = bot.place(two);
    at.admin.openHome();
    await bot.slack.until(() => at.admin.home.length > 0);
    const said = at.channel.say(at.ann, 'Where is the old bridge?');
    bot.slack.messageShortcut(at.ann, said, 'translate');
    await bot.slack.until(() => at.channel.ephemeralsFor(at.ann).length > 0);
    const asked = two.direct(at.ann).say(at.ann, 'What is a dragoman?');
    await bot.slack.until(() => repliesTo(asked).length === 1);
    expect(bot.errors).toEqual([]);
  });

  it('adds a workspace later, and takes one out, of which nothing is left', async () => {
    await using scene = await open();
    const { bot, organisation, one, two, three } = scene;
    const [first, second] = [bot.place(one), bot.place(two)];
    for (const at of [first, second]) {
      await bot.use(at, 'autotranslate reply languages:es');
      await translates(bot, at);
    }
    organisation.grant(three);
    await bot.slack.events.settled();
    const third = bot.place(three);
    await bot.use(third, 'autotranslate reply languages:es');
    await translates(bot, third);
    organisation.revoke(two);
    await bot.slack.events.settled();
    await expect.poll(() => database(bot)).not.toContain(two.id);
    expect(await database(bot)).not.toContain(second.channel.id);
    for (const at of [first, third]) await translates(bot, at);
    // Told again, after the workspace was added again.
    organisation.grant(two);
    await bot.slack.events.settled();
    await bot.use(second, 'autotranslate reply languages:es');
    const revoked = bot.slack.events.log.find(
      ({ event }) => event['type'] === 'team_access_revoked',
    );
    if (revoked) await bot.slack.events.repeat(revoked);
    await translates(bot, second);
    expect(bot.errors).toEqual([]);
  });

  it('is known in a workspace by what comes from it, whether it was told of or not', async () => {
    await using scene = await open();
    const { bot, organisation, three } = scene;
    bot.slack.app.events = new Set(['message.channels']);
    organisation.grant(three);
    const at = bot.place(three);
    await bot.use(at, 'autotranslate reply languages:es');
    await translates(bot, at);
  });

  it('leaves nothing in any workspace when it removes the app, and can come back', async () => {
    await using scene = await open();
    const { bot, organisation, one, two, admin } = scene;
    const places = [bot.place(one), bot.place(two)];
    for (const at of places) {
      await bot.use(at, 'autotranslate reply languages:es');
      await bot.use(at, 'language language:fr');
      await translates(bot, at);
    }
    organisation.uninstall();
    await bot.slack.events.settled();
    await bot.store.written();
    const left = await database(bot);
    for (const at of places)
      for (const id of [organisation.id, at.workspace.id, at.channel.id, at.ann.id, at.admin.id])
        expect(left).not.toContain(id);
    await installFor(bot, organisation, [one, two], admin);
    for (const at of places) {
      await bot.use(at, 'autotranslate reply languages:es');
      await translates(bot, at);
    }
    expect(bot.errors).toEqual([]);
  });

  it('lets somebody who manages one of its workspaces moderate there', async () => {
    await using scene = await open();
    const { bot, one, two } = scene;
    const at = bot.place(two);
    const manager = one.user({ isAdmin: true, alsoIn: [two], name: 'Wanda' });
    expect(manager.id).toMatch(/^W/);
    at.channel.state.members.add(manager.id);
    expect(await bot.use(at, 'autotranslate reply languages:es', { by: manager })).toContain('es');
    const guest = one.user({ alsoIn: [two] });
    const answer = await bot.use(at, 'autotranslate off', { by: guest, part: 'moderator' });
    expect(answer).not.toContain('off');
  });
});
