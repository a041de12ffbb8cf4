import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { readEveryTable } from '../fakes/every-table.ts';
import { traceOf } from '../fakes/key-canary.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const KEY = 'svck:Distinctive-Key/Of+This~Workspace=0123456789';
const bot = withSlackBot();

/** Fills in the form that is open; resolves with its errors. */
const enter = async (user: FakeUser, value: string) => {
  await bot.slack.until(() => user.modal !== undefined);
  return bot.slack.submit(user, { entered: { value: { type: 'plain_text_input', value } } });
};

const lastKey = (): unknown =>
  bot.speech.seen.filter(({ path }) => path === PATHS.translate).at(-1)?.headers.authorization;

describe('a key that a moderator enters in a modal', () => {
  it('is used from then on, until it is removed, and stands nowhere', async () => {
    bot.speech.otherKeys.add(KEY);
    const at = bot.place();
    const { admin, channel } = at;
    await bot.use(at, 'settings', { part: sentence('settings.key-none') });
    const panel = () => channel.ephemeralsFor(admin).at(-1)!;
    const shows = (words: string) => bot.slack.until(() => panel().text.includes(words));
    bot.slack.act(admin, panel(), 'settings page:key');
    await shows(sentence('settings.key-how').slice(0, 20));
    bot.slack.act(admin, panel(), 'settings key');
    const rejected = { entered: sentence('settings.key-rejected') };
    expect(await enter(admin, 'svck:not-a-key-of-the-service')).toEqual(rejected);
    expect(await enter(admin, KEY)).toBeUndefined();
    await shows(admin.state.name);
    await bot.use(at, 'translate to:es text:"one two"', { part: 'es:one two' });
    expect(lastKey()).toBe(`Bearer ${KEY}`);

    const rows = [...(await readEveryTable(bot.store))];
    bot.slack.act(admin, panel(), 'settings dropkey');
    await shows(sentence('settings.key-none'));
    await bot.use(at, 'translate to:es text:"three four"', { part: 'es:three four' });
    expect(lastKey()).toBe(`Bearer ${bot.speech.key}`);
    for (const [what, value] of Object.entries({
      log: bot.logged,
      requests: bot.slack.requests,
      rows,
      messages: channel.ephemeralsFor(admin),
    }))
      expect(traceOf(KEY, value), what).toBeUndefined();
  });

  it('can be entered in App Home, too', async () => {
    bot.speech.otherKeys.add(KEY);
    const { admin } = bot.place();
    admin.openHome();
    const shows = (words: string) =>
      bot.slack.until(() => JSON.stringify(admin.home).includes(words));
    await shows('settings page:key');
    bot.slack.act(admin, admin.homeView!, 'settings page:key');
    await shows('"settings key"');
    bot.slack.act(admin, admin.homeView!, 'settings key');
    await enter(admin, KEY);
    await shows('settings dropkey');
    bot.slack.act(admin, admin.homeView!, 'settings dropkey');
    await shows(sentence('settings.key-none'));
    expect(traceOf(KEY, [bot.logged, admin.home])).toBeUndefined();
  });
});
