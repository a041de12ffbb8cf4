import { describe, expect, it } from 'vitest';
import type { FakeUser } from '../fakes/slack/index.ts';
import { createSpaceSettings } from '../../src/store/settings.ts';
import { NAMING } from '../../adapters/slack/manifest.ts';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

const card = sentence('welcome.channel', {}, 'en', NAMING);

/** A channel without the app, as somebody sees it. */
const newChannel = () => {
  const at = bot.place();
  return { ...at, channel: at.workspace.channel({ bot: false, members: [at.admin, at.ann] }) };
};

describe('the first steps in App Home', () => {
  const stepsOf = async (user: FakeUser): Promise<string> => {
    const { hash } = user.homeView ?? {};
    user.openHome();
    await bot.slack.until(() => user.homeView !== undefined && user.homeView.hash !== hash);
    return JSON.stringify(user.home);
  };
  const title = sentence('slack.home.steps');

  it('are for moderators, ticked as they are done, and go once all are', async () => {
    const at = bot.place();
    const { ann, admin, channel, workspace } = at;
    expect(await stepsOf(ann)).not.toContain(title);
    const ticks = async (): Promise<number> => (await stepsOf(admin)).split('✅').length - 1;
    expect(await stepsOf(admin)).toContain(title);
    expect(await ticks()).toBe(0);
    await bot.use(at, 'autotranslate reply languages:es');
    expect(await ticks()).toBe(1);
    await bot.use(at, 'language language:de');
    await bot.use(at, 'glossary add term:Dragoman translation:Dragoman');
    expect(await ticks()).toBe(3);
    const { id } = workspace;
    const moderators = { channel: channel.id, locale: 'en' };
    await createSpaceSettings(bot.store).change({ platform: 'slack', id }, { moderators });
    expect(await stepsOf(admin)).not.toContain(title);
  });
});

describe('a channel that the app is invited to', () => {
  it('is told once what the app does, with buttons that open it for the one who presses', async () => {
    const { channel, ann, admin } = newChannel();
    channel.inviteBot(ann);
    const [said] = await channel.until((posts) => posts.length === 1);
    expect(said?.words).toContain(card);
    bot.slack.act(admin, said!, 'autotranslate open');
    await bot.slack.until(() =>
      JSON.stringify(channel.ephemeralsFor(admin)).includes('autotranslate page'),
    );
    channel.removeBot();
    channel.inviteBot(ann);
    await bot.use({ ...bot.place(), channel }, 'translate good evening to:es', { part: 'es:good' });
    expect(channel.posts.filter(({ words }) => words.includes(card))).toHaveLength(1);
  });

  it('is told nothing where nobody invited it, and where auto-translate or quiet is set', async () => {
    const at = newChannel();
    const { channel, ann } = at;
    channel.inviteBot();
    await bot.use(at, 'autotranslate reply languages:es');
    const before = channel.posts.length;
    channel.removeBot();
    channel.inviteBot(ann);
    channel.say(ann, 'good morning everybody');
    await channel.until((posts) => posts.some(({ words }) => words.includes('es:good morning')));
    expect(channel.posts.slice(before).some(({ words }) => words.includes(card))).toBe(false);
  });
});
