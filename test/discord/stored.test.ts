import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { createPrivacy } from '../../src/store/privacy/person-data.ts';
import { kindsOfColumnsWith } from '../fakes/every-table.ts';
import { repliesTo } from './shown.ts';
import { withBot } from './support.ts';

const WORDS = 'marigold';
const NAME = 'Wilhelmina';
const bot = withBot();

it('what is about a person stands only in columns that are said to hold it, in every mode', async () => {
  const at = await bot.linked();
  const { guild, english } = at;
  const [replying, threaded, flagged] = ['one', 'two', 'three'].map((name) =>
    guild.channel({ name }),
  );
  await bot.use({ ...at, channel: replying! }, 'autotranslate reply', { languages: 'es' });
  await bot.use({ ...at, channel: threaded! }, 'autotranslate thread', { languages: 'es' });
  const author = bot.discord.user({ name: NAME });
  guild.join(author);
  await bot.use(at, 'language', { language: 'fr' }, author);
  const open = Promise.withResolvers<void>();
  bot.speech.fail(PATHS.translate, ...Array.from({ length: 9 }, () => ({ until: open.promise })));
  const columnsWith = (mark: string) => kindsOfColumnsWith(bot.store, mark);
  const kindsWith = async (mark: string) => new Set(Object.values(await columnsWith(mark)));

  for (const channel of [english, replying!, threaded!])
    channel.say(author, `Good morning to the ${WORDS}`);
  const last = flagged!.say(author, `Good night to the ${WORDS}`);
  last.react(author, '🇪🇸');
  await expect
    .poll(async () =>
      bot.store.selectFrom('inbox').where('message', 'is not', null).select('message').execute(),
    )
    .toHaveLength(4);
  expect(await kindsWith(WORDS)).toEqual(new Set(['words']));
  expect(await kindsWith(NAME)).toEqual(new Set(['words']));
  expect(await kindsWith(author.id)).toEqual(new Set(['person', 'words']));

  open.resolve();
  await bot.settled(at);
  await flagged!.until(() => repliesTo(last).length === 1);
  await bot.settled(at);
  await expect
    .poll(async () => columnsWith(author.id))
    .toEqual({
      'inbox.author_id': 'person',
      'member_setting.member_id': 'person',
      'usage_day.member_id': 'person',
    });
  expect(await columnsWith(WORDS)).toEqual({});
  expect(await columnsWith(NAME)).toEqual({});
  expect(await kindsWith(guild.id)).toEqual(new Set(['place']));
});

it('somebody whom rules name stands in rules alone once they had their data deleted', async () => {
  const at = bot.place();
  const { ann, channel } = at;
  const other = { ...at, channel: at.guild.channel({ name: 'other' }) };
  const rule = { about: 'people', values: `<@${ann.id}>` };
  for (const here of [at, other]) {
    await bot.use(here, 'autotranslate reply', { languages: 'es' });
    await bot.use(here, 'autotranslate rules', rule);
  }
  await bot.use(at, 'autotranslate rules', { ...rule, everywhere: true });
  await bot.use(other, 'autotranslate off');
  await bot.use(at, 'language', { language: 'fr' }, ann);
  channel.say(ann, 'Left out');
  await bot.settled(at);
  const told = {
    'channel_watch.choices': 'naming',
    'space_setting.choices': 'naming',
    'watch_undo.watches': 'naming',
  };
  const columns = () => kindsOfColumnsWith(bot.store, ann.id);
  expect(await columns()).toMatchObject({ ...told, 'audit_entry.after': 'naming' });
  await createPrivacy(bot.store).forget({ platform: 'discord', id: ann.id });
  expect(await columns()).toEqual(told);
});
