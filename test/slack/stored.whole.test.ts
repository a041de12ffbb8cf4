import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { DATA_CATALOGUE } from '../../scripts/data-catalogue.ts';
import { TABLES } from '../../src/store/privacy/tables.ts';
import { makeDatabase } from '../fakes/database.ts';
import { kindsOfColumnsWith } from '../fakes/every-table.ts';
import { installIn, openSlackBot, repliesTo } from './support.ts';

const WORDS = 'marigold';
const NAME = 'Wilhelmina';

it.each([
  ['SQLite', async () => 'sqlite::memory:'],
  ['PostgreSQL', async () => makeDatabase()],
])(
  'what is about a person stands only in columns that are said to hold it, in %s',
  async (_, make) => {
    await using bot = await openSlackBot('many', { database: await make() });
    const workspace = bot.slack.workspace({ name: 'distinctive', installed: false });
    const placed = bot.place(workspace);
    await installIn(bot, workspace, placed.admin);
    const author = workspace.user({ name: NAME, displayName: NAME });
    const members = [placed.admin, author];
    const channel = () => workspace.channel({ members });
    const [replying, threaded, flagged] = [channel(), channel(), channel()];
    const [english, spanish] = [channel(), channel()];
    await bot.use({ ...placed, channel: replying }, 'autotranslate reply languages:es');
    await bot.use({ ...placed, channel: threaded }, 'autotranslate thread languages:es');
    const linked = `channels:"<#${english.id}> en, <#${spanish.id}> es"`;
    await bot.use({ ...placed, channel: english }, `autotranslate mirror ${linked}`);
    await bot.use({ ...placed, channel: flagged }, 'language language:fr', { by: author });
    const open = Promise.withResolvers<void>();
    bot.speech.fail(PATHS.translate, ...Array.from({ length: 9 }, () => ({ until: open.promise })));
    const columnsWith = (mark: string) => kindsOfColumnsWith(bot.store, mark);
    const kindsWith = async (mark: string) => new Set(Object.values(await columnsWith(mark)));

    for (const here of [replying, threaded, english])
      here.say(author, `Good morning to the ${WORDS}`);
    const last = flagged.say(author, `Good night to the ${WORDS}`);
    last.react(author, 'flag-es');
    await expect
      .poll(async () => bot.store.selectFrom('inbox').select('message').execute())
      .toHaveLength(4);
    expect(await kindsWith(WORDS)).toEqual(new Set(['words']));
    expect(await kindsWith(author.id)).toEqual(new Set(['person', 'words']));

    open.resolve();
    await bot.slack.until(() => repliesTo(last).length === 1);
    await expect
      .poll(async () => columnsWith(author.id))
      .toEqual({
        'inbox.author_id': 'person',
        'member_setting.member_id': 'person',
        'usage_day.member_id': 'person',
      });
    for (const mark of [WORDS, NAME]) expect(await columnsWith(mark)).toEqual({});
    for (const column of Object.keys(await columnsWith(workspace.id))) {
      const [table] = column.split('.') as [keyof typeof DATA_CATALOGUE];
      const { spaces } = TABLES[table];
      const { removed } = DATA_CATALOGUE[table];
      expect(spaces.length > 0 || removed !== undefined, column).toBe(true);
    }
    workspace.uninstall();
    // A lease stays for a while: that of the removal itself ends after it.
    const withoutLeases = async () =>
      Object.keys(await columnsWith(workspace.id)).filter((column) => column !== 'lease.name');
    await expect.poll(withoutLeases).toEqual([]);
    expect(bot.errors).toEqual([]);
  },
);
