import { describe, expect, it } from 'vitest';
import { createSpaceSettings } from '../../src/store/settings.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

/** A name that would notify everybody, and be markup, if it were not words. */
const HOSTILE = '<!channel> *Eve* @here';
const SHOWN = `@${HOSTILE}`;

/** A moderator's place with somebody of that name in it. */
const open = (): Place & { readonly eve: FakeUser } => {
  const at = bot.place();
  const eve = at.workspace.user({ name: 'eve', displayName: HOSTILE });
  at.channel.state.members.add(eve.id);
  return { ...at, eve };
};

let proposed = 0;
const propose = (): string =>
  `glossary propose term:raid${(proposed += 1)} translation:incursión language:es`;

/** The words of what the app showed, as people read them. */
const wordsOf = (shown: unknown): string => {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, text } = value as { readonly type?: unknown; readonly text?: unknown };
    if ((type === 'text' || type === 'plain_text') && typeof text === 'string') found.push(text);
    for (const each of Object.values(value)) visit(each);
  };
  visit(shown);
  return found.join('');
};

/** What stands somewhere, once it shows a person. */
const shownAt = async (read: () => unknown): Promise<string> => {
  await bot.slack.until(() => wordsOf(read()).includes('@'));
  return wordsOf(read());
};

/** What a moderator was shown last, once it shows a person. */
const named = async ({ channel, admin }: Place): Promise<string> =>
  shownAt(() => channel.ephemeralsFor(admin).at(-1)?.blocks);

/** Each place in which a person of the workspace is shown. */
const PLACES: Readonly<Record<string, (at: ReturnType<typeof open>) => Promise<string>>> = {
  'a proposal for the glossary': async (at) => {
    await bot.use(at, propose(), { by: at.eve });
    await bot.use(at, 'glossary proposals');
    return named(at);
  },
  'the moderators’ channel': async (at) => {
    const room = at.workspace.channel({ members: [at.admin] });
    await createSpaceSettings(bot.store).change(
      { platform: 'slack', id: at.workspace.id },
      { moderators: { channel: room.id, locale: 'en' } },
    );
    await bot.use(at, propose(), { by: at.eve });
    return shownAt(() => room.posts.at(-1)?.blocks);
  },
  'the rules of a channel': async (at) => {
    await bot.use(at, 'autotranslate reply languages:es');
    await bot.use(at, `autotranslate rules about:people values:"<@${at.eve.id}>"`);
    return named(at);
  },
  'the page of rules': async (at) => {
    await bot.use(at, 'autotranslate reply languages:es');
    await bot.use(at, `autotranslate rules about:people values:"<@${at.eve.id}>"`);
    await bot.use(at, 'autotranslate panel');
    const panel = at.channel.ephemeralsFor(at.admin).at(-1)!;
    for (const page of [`page:${at.channel.id}`, `rules:${at.channel.id}`]) {
      await bot.slack.until(() => JSON.stringify(panel).includes(`"autotranslate ${page}"`));
      bot.slack.act(at.admin, panel, `autotranslate ${page}`);
    }
    return named(at);
  },
  'what was changed': async (at) => {
    await bot.use(at, 'autotranslate reply languages:es');
    await bot.use(at, `autotranslate rules about:people values:"<@${at.eve.id}>"`);
    await bot.use(at, 'audit');
    return named(at);
  },
  'a stop of a person': async (at) => {
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.eve, 'hello everybody');
    await bot.slack.until(() => said.replies.length > 0);
    bot.slack.messageShortcut(at.admin, said, 'why');
    const shown = () => at.channel.ephemeralsFor(at.admin).at(-1);
    const press = `autotranslate stopperson:${at.eve.id}`;
    await bot.slack.until(() => JSON.stringify(shown() ?? '').includes(press));
    const [action = ''] = /autotranslate stopperson[^"]*/.exec(JSON.stringify(shown())) ?? [];
    bot.slack.act(at.admin, shown()!, action);
    await bot.slack.until(() => !JSON.stringify(shown()).includes(press));
    return named(at);
  },
  'who used most': async (at) => {
    await bot.use(at, 'translate hello to:es', { by: at.eve });
    await bot.use(at, 'usage');
    return named(at);
  },
  'App Home': async (at) => {
    await bot.use(at, 'translate hello to:es', { by: at.eve });
    at.admin.openHome();
    return shownAt(() => at.admin.home);
  },
};

describe('a person is shown by their name, which notifies nobody, in', () => {
  it.each(Object.entries(PLACES))('%s', async (_, show) => {
    expect(await show(open())).toContain(SHOWN);
    expect(bot.slack.pings).toEqual([]);
  });
});

it('/audit shows the groups whose members moderate by their names', async () => {
  const at = open();
  const group = at.workspace.group('stewards', [at.eve]);
  const space = { platform: 'slack', id: at.workspace.id };
  await createSpaceSettings(bot.store).change(space, { moderatorGroups: [group] });
  await bot.use(at, 'audit');
  const words = await shownAt(() => at.channel.ephemeralsFor(at.admin).at(-1)?.blocks);
  expect(words).toContain('@stewards');
  expect(words).not.toContain(group);
});
