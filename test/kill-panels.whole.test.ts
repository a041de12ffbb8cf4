import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { copiesOf, copyOf, pressesOf } from './discord/shown.ts';
import { createBot } from './fakes/bot.ts';
import type { FakeChannel, FakeGuild, FakeMessage } from './fakes/discord/index.ts';
import { shared } from './fakes/opened.ts';

/** Times between a press and the kill: before it arrives, in the middle of it, and after its end. */
const KILLED_AFTER_MS = [3, 12, 40];
const NAMES = ['english', 'spanish', 'german', 'french'] as const;

let guild: FakeGuild;
let channels: Record<(typeof NAMES)[number], FakeChannel>;
const bot = shared(() => createBot({ speed: 50 }));
beforeAll(async () => {
  guild = bot.discord.guild({ name: 'Babel' });
  channels = Object.fromEntries(
    NAMES.map((name) => [name, guild.channel({ name })]),
  ) as typeof channels;
  await bot.start();
  const { english, spanish, german } = channels;
  await bot.use({ guild, channel: english }, 'autotranslate mirror', {
    channels: `<#${english.id}> en, <#${spanish.id}> es, <#${german.id}> de`,
  });
});

/** All that is stored of watches and links, without times and the ids of groups: links, and what else was chosen. */
const stored = () => {
  using database = new DatabaseSync(bot.databaseFile, { readOnly: true });
  const links = database
    .prepare(
      `SELECT channel_id, mode, languages, (SELECT group_concat(channel_id) FROM (
         SELECT channel_id FROM channel_watch AS other WHERE other.group_id = own.group_id ORDER BY channel_id)
       ) AS linked FROM channel_watch AS own ORDER BY channel_id`,
    )
    .all();
  const choices = database
    .prepare('SELECT choices FROM channel_watch WHERE channel_id <> ? ORDER BY channel_id')
    .all(channels.french.id);
  return { links, choices };
};

/** The number of ends that can be set back. */
const undos = (): number => {
  using database = new DatabaseSync(bot.databaseFile, { readOnly: true });
  const open = "SELECT count(*) AS count FROM watch_undo WHERE watches <> '[]'";
  const { count } = database.prepare(open).get() ?? {};
  return Number(count);
};

/** The panel of a channel, as a moderator has it before them. */
const panelOf = async ({ id }: FakeChannel): Promise<FakeMessage> => {
  const at = { channel: channels.english, name: 'autotranslate panel' };
  const panel = await bot.discord.command(guild.owner, at).answer();
  const { edits } = panel;
  const opened = bot.discord.press(guild.owner, panel, 'autotranslate page', [id]);
  await opened.until(() => panel.edits > edits);
  return panel;
};

const used = (action: string, options: Record<string, string | FakeChannel>) => async () => () =>
  bot.discord.command(guild.owner, {
    channel: channels.english,
    name: `autotranslate ${action}`,
    options,
  });

const pressed = (press: string, name: (typeof NAMES)[number]) => async () => {
  const panel = await panelOf(channels[name]);
  return () => bot.discord.press(guild.owner, panel, `autotranslate ${press}:${channels[name].id}`);
};

/** What two moderators do at the same time, in an order in which each changes something; each is prepared, and then done. */
const CHANGES = [
  {
    links: () =>
      used('add', { channel: channels.french, language: 'fr', with: channels.english })(),
    choices: () => pressed('pause', 'german')(),
  },
  {
    links: () => used('remove', { channel: channels.french })(),
    choices: () => pressed('resume', 'german')(),
  },
];

describe('a program that is killed while two moderators change what is linked', () => {
  it.each(KILLED_AFTER_MS)(
    'has each change whole or not at all: %i ms after it',
    async (afterMs) => {
      for (const changes of CHANGES) {
        const before = stored();
        const [one, other] = [await changes.links(), await changes.choices()];
        one();
        other();
        await delay(afterMs);
        await bot.kill();
        const left = stored();
        await bot.start();
        for (const part of ['links', 'choices'] as const) {
          const isLeft = isDeepStrictEqual(left[part], before[part]);
          if (isLeft) (await changes[part]())();
          await expect.poll(() => stored()[part], { timeout: 10_000 }).not.toEqual(before[part]);
          if (!isLeft) expect(left[part]).toEqual(stored()[part]);
        }
      }
      const { english, spanish, german, french } = channels;
      const said = english.say(guild.owner, `What everybody reads after ${afterMs} ms`);
      await Promise.all([copyOf(said, spanish), copyOf(said, german)]);
      expect([spanish, german, french].map((to) => copiesOf(said, to).length)).toEqual([1, 1, 0]);
      expect(bot.discord.pings).toEqual([]);
    },
  );

  const linked = () => stored().links;
  const off = () =>
    bot.discord.command(guild.owner, {
      channel: channels.english,
      name: 'autotranslate off',
      options: { channel: channels.german },
    });
  const undoIn = async (message: FakeMessage): Promise<string> => {
    const find = () => pressesOf(message).find((id) => id.startsWith('autotranslate restore:'));
    await expect.poll(find, { timeout: 10_000 }).toBeDefined();
    return find() ?? '';
  };

  it('has the Undo that was shown before work in the next process', async () => {
    const before = linked();
    const answer = await off().answer();
    const undo = await undoIn(answer);
    await bot.kill();
    await bot.start();
    expect(linked()).not.toEqual(before);
    bot.discord.press(guild.owner, answer, undo);
    await expect.poll(linked, { timeout: 10_000 }).toEqual(before);
  });

  it.each(KILLED_AFTER_MS)(
    'has nothing turned off without an Undo, nor an Undo of what is on: %i ms after it',
    async (afterMs) => {
      const [before, undosBefore] = [linked(), undos()];
      off();
      await delay(afterMs);
      await bot.kill();
      const isOff = !isDeepStrictEqual(linked(), before);
      expect(undos() - undosBefore).toBe(isOff ? 1 : 0);
      await bot.start();
      if (!isOff) await off().answer();
      const audit = { channel: channels.english, name: 'audit' };
      const answer = await bot.discord.command(guild.owner, audit).answer();
      bot.discord.press(guild.owner, answer, await undoIn(answer));
      await expect.poll(linked, { timeout: 10_000 }).toEqual(before);
      expect(undos()).toBe(undosBefore);
    },
  );
});
