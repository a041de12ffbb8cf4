import { describe, expect, it } from 'vitest';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import type { FakeChannel, FakeMessage, FakeUser } from '../fakes/discord/index.ts';
import { BOT, permissionBits } from '../fakes/discord/permissions.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();
const MAY = [...BOT, 'ManageChannels', 'ManageRoles'] as const;
const TWELVE = 'es,ja,fr,de,it,pt,nl,pl,ko,sv,zh,ru'.split(',');

/** A server where the bot may make channels and roles. */
const open = (): Place => {
  const at = bot.place();
  at.guild.setBotPermissions(MAY);
  return at;
};

/** The press of a control of the wizard, by its first words. */
const pressOf = (shown: FakeMessage, word: string): string =>
  shown.components
    .flatMap((row) => row['components'] as readonly { readonly custom_id?: string }[])
    .map(({ custom_id: press = '' }) => press)
    .find((press) => press.startsWith(`autotranslate ${word}:`)) ?? '';

/** The request for the second channel of a set-up in Spanish and Japanese. */
const SECOND = {
  while: ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    body['name'] === 'general-日本語',
};

const by = (at: Place): FakeUser => at.guild.owner;

/** A moderator with more permissions of their own. */
const moderatorWith = (at: Place, ...permissions: Parameters<typeof at.guild.role>[1] & {}) => {
  const moderator = bot.discord.user();
  at.guild.join(moderator, [at.guild.role('mods', ['ManageGuild', ...permissions])]);
  return moderator;
};

/** Presses in a wizard, and counts. */
const startWizard = async (at: Place, who = by(at)) => {
  const shown = await bot.use(at, 'autotranslate wizard', {}, who);
  const wizard = {
    shown,
    presses: 1,
    offers: (word: string) => pressOf(shown, word) !== '',
    press: async (word: string, values?: readonly string[]) => {
      wizard.presses += 1;
      await bot.press(shown, pressOf(shown, word), values, who);
    },
    made: () =>
      bot.discord.until(
        () => sentenceLike('autotranslate.wizard-done').test(shown.content),
        60_000,
      ),
  };
  return wizard;
};

const channelsOf = (at: Place): readonly FakeChannel[] => at.guild.channels;
const words = (content: string): number => content.split(/\s+/u).filter(Boolean).length;

describe('the wizard on Discord', () => {
  it('makes a channel in each of three languages with three presses, and messages go between them', async () => {
    const at = open();
    const wizard = await startWizard(at);
    const read = words(wizard.shown.content);
    await wizard.press('into', ['es', 'ja', 'fr']);
    await wizard.press('make');
    await wizard.made();
    expect(wizard.presses).toBe(3);
    expect(read / 4).toBeLessThan(15);
    expect(channelsOf(at).map(({ name }) => name)).toEqual([
      'general',
      'general-español',
      'general-日本語',
      'general-français',
    ]);
    const spanish = channelsOf(at)[1]!;
    at.channel.say(at.ann, 'good morning everybody');
    await bot.discord.until(() =>
      spanish.messages.some(({ content }) => content.includes('es:good morning everybody')),
    );
  });

  it('makes four groups of twelve languages with four presses', async () => {
    const at = open();
    const names = ['trade', 'help', 'raids'];
    const four = [at.channel, ...names.map((name) => at.guild.channel({ name }))];
    const wizard = await startWizard(at);
    await wizard.press(
      'sources',
      four.map(({ id }) => id),
    );
    await wizard.press('into', TWELVE);
    await wizard.press('make');
    await wizard.made();
    expect(wizard.presses).toBe(4);
    expect(channelsOf(at)).toHaveLength(4 + 4 * 12);
    const list = await bot.use(at, 'autotranslate list');
    expect(list.content).toContain('52');
    await bot.settled(at);
  });

  it('gives a channel what its own has: who sees it, its category, and the bot’s access', async () => {
    const at = open();
    const category = at.guild.channel({ type: 'category', name: 'Team' });
    const role = at.guild.role('team');
    const secret = at.guild.channel({
      name: 'secret',
      parent: category,
      permissions: {
        everyone: { deny: ['ViewChannel'] },
        [role.id]: { allow: ['ViewChannel'] },
        bot: { allow: ['ViewChannel'] },
      },
    });
    const wizard = await startWizard({ ...at, channel: secret });
    await wizard.press('sources', [secret.id]);
    await wizard.press('into', ['es']);
    await wizard.press('make');
    await wizard.made();
    const made = channelsOf(at).find(({ name }) => name === 'secret-español');
    expect(made?.state.parentId).toBe(category.id);
    const view = permissionBits(['ViewChannel']);
    const allowed = made?.state.overwrites.filter(({ allow }) => (allow & view) !== 0n);
    expect(allowed?.map(({ id }) => id).toSorted()).toEqual(
      [role.id, bot.discord.botUser.id].toSorted(),
    );
    expect(made?.state.overwrites.find(({ id }) => id === at.guild.id)?.deny).toBe(view);
  });

  it('makes roles without rights, whose holders alone see their channel, and gives them by a button', async () => {
    const at = open();
    const wizard = await startWizard(at);
    await wizard.press('into', ['es']);
    await wizard.press('form', ['channels-hidden']);
    await wizard.press('make');
    await wizard.made();
    const roles = [...at.guild.state.roles.values()].filter(({ name }) =>
      ['English', 'español'].includes(name),
    );
    expect(roles.map(({ permissions, mentionable }) => [permissions, mentionable])).toEqual([
      [0n, false],
      [0n, false],
    ]);
    await bot.press(wizard.shown, 'autotranslate roles', [at.channel.id], by(at));
    const posted = at.channel.messages.find(({ components }) => components.length > 0)!;
    const spanish = channelsOf(at).find(({ name }) => name === 'general-español')!;
    expect(spanish.canSee(at.ann)).toBe(false);
    const pressed = bot.discord.press(at.ann, posted, 'autotranslate role:es');
    await pressed.until(() => spanish.canSee(at.ann));
    expect((await pressed.answer()).ephemeral).toBe(true);
  });

  it('gives no role that got permissions since', async () => {
    const at = open();
    const wizard = await startWizard(at);
    await wizard.press('into', ['es']);
    await wizard.press('form', ['channels-roles']);
    await wizard.press('make');
    await wizard.made();
    await bot.press(wizard.shown, 'autotranslate roles', [at.channel.id], by(at));
    const posted = at.channel.messages.find(({ components }) => components.length > 0)!;
    const role = [...at.guild.state.roles.values()].find(({ name }) => name === 'español')!;
    at.guild.setPermissions(role, ['BanMembers']);
    const pressed = bot.discord.press(at.ann, posted, 'autotranslate role:es');
    const answer = await pressed.answer();
    expect(answer.content).toContain(sentence('autotranslate.role-unsafe'));
    expect(at.guild.state.members.get(at.ann.id)?.roles).toEqual([]);
  });

  it('makes threads in the channel', async () => {
    const at = open();
    const wizard = await startWizard(at);
    await wizard.press('into', ['es', 'ja']);
    await wizard.press('form', ['threads']);
    await wizard.press('make');
    await wizard.made();
    const threads = at.guild.threads;
    expect(threads.map(({ name }) => name)).toEqual(['español', '日本語']);
    at.channel.say(at.ann, 'hello in threads');
    await bot.discord.until(() =>
      threads[0]!.messages.some(({ content }) => content.includes('es:hello in threads')),
    );
  });
});

describe('a set-up that Discord refuses', () => {
  it('names the permission that is missing at once, and offers to make nothing', async () => {
    const wizard = await startWizard(bot.place());
    expect(wizard.shown.content).toContain('Manage Channels');
    await wizard.press('into', ['es']);
    expect(wizard.shown.content).toContain('Manage Channels');
    expect(wizard.offers('make')).toBe(false);
  });

  it('offers the link that grants it, and keeps what the bot has', async () => {
    const at = bot.place();
    at.guild.setBotPermissions([...BOT, 'MoveMembers']);
    const wizard = await startWizard(at);
    await wizard.press('into', ['es']);
    await wizard.press('form', ['channels-roles']);
    expect(wizard.offers('make')).toBe(false);
    const [address = ''] =
      /https:\/\/discord\.com\/oauth2\/authorize[^\s>)]+/u.exec(wizard.shown.content) ?? [];
    const query = new URL(address).searchParams;
    expect(query.get('guild_id')).toBe(at.guild.id);
    const asked = permissionBits([...BOT, 'MoveMembers', 'ManageChannels', 'ManageRoles']);
    expect(BigInt(query.get('permissions') ?? 0) & asked).toBe(asked);
  });

  it.each([
    ['channels', [], 'Manage Channels'],
    ['channels-roles', ['ManageChannels'], 'Manage Roles'],
    ['threads', [], 'Create Public Threads'],
  ] as const)(
    'makes nothing for a moderator who could not make it themselves: %s',
    async (form, permissions, lacking) => {
      const at = open();
      const secret = { everyone: { deny: ['CreatePublicThreads'] as const } };
      const channel = at.guild.channel({ name: 'talk', permissions: secret });
      const wizard = await startWizard({ ...at, channel }, moderatorWith(at, ...permissions));
      await wizard.press('into', ['es']);
      if (form !== 'channels') await wizard.press('form', [form]);
      // Rights to roles are of the server, others of each channel.
      expect(wizard.offers('make')).toBe(form !== 'channels-roles');
      if (wizard.offers('make')) await wizard.press('make');
      const permission = { permissions: lacking };
      expect(wizard.shown.content).toContain(sentence('autotranslate.wizard-yours', permission));
      expect(channelsOf(at)).toHaveLength(2);
      expect(at.guild.threads).toEqual([]);
    },
  );

  it('makes channels for a moderator who may make them themselves', async () => {
    const at = open();
    const wizard = await startWizard(at, moderatorWith(at, 'ManageChannels'));
    await wizard.press('into', ['es']);
    await wizard.press('make');
    await wizard.made();
    expect(channelsOf(at)).toHaveLength(2);
  });

  it.each(['channels', 'threads'])(
    'deletes what it made without an answer only where Discord names its maker: %s',
    async (form) => {
      const at = open();
      const wizard = await startWizard(at);
      await wizard.press('into', ['es']);
      if (form !== 'channels') await wizard.press('form', [form]);
      const route = form === 'threads' ? 'POST /channels/:id/threads' : 'POST /guilds/:id/channels';
      bot.discord.fail(route, { close: 'after' });
      await wizard.press('make');
      bot.discord.heal();
      await wizard.press('undo');
      const left = channelsOf(at)[1];
      expect(wizard.shown.content.includes(sentence('autotranslate.wizard-left'))).toBe(
        form === 'channels',
      );
      if (left) expect(wizard.shown.content).toContain(`<#${left.id}>`);
      expect(channelsOf(at)).toHaveLength(form === 'channels' ? 2 : 1);
      expect(at.guild.threads.every(({ state }) => state.thread?.archived)).toBe(true);
    },
  );

  it('copies no channel whose permissions it could not copy', async () => {
    const at = bot.place();
    const own = { bot: { allow: [...BOT] } };
    const hidden = at.guild.channel({
      name: 'hidden',
      permissions: { everyone: { deny: ['ViewChannel'] }, ...own },
    });
    at.guild.setEveryonePermissions(['SendMessages', 'UseApplicationCommands']);
    at.guild.setBotPermissions(MAY.filter((name) => name !== 'ViewChannel'));
    const wizard = await startWizard({ ...at, channel: hidden });
    await wizard.press('into', ['es']);
    expect(wizard.offers('make')).toBe(false);
    expect(wizard.shown.content).toContain('View Channel');
    expect(channelsOf(at)).toHaveLength(2);
  });

  it('says how much room there is in a server of 60 channels, and makes none of what is too much', async () => {
    const at = open();
    const many = Array.from({ length: 59 }, (_, place) => at.guild.channel({ name: `c${place}` }));
    const wizard = await startWizard(at);
    await wizard.press(
      'sources',
      many.slice(0, 25).map(({ id }) => id),
    );
    await wizard.press('into', [...TWELVE, 'tr', 'ar', 'hi', 'id', 'vi', 'th', 'uk']);
    await wizard.press('make');
    const room = { kind: 'channels', needed: 475, left: 440, most: 500 };
    expect(wizard.shown.content).toContain(sentence('autotranslate.wizard-no-room', room));
    expect(channelsOf(at)).toHaveLength(60);
  });

  it('makes categories of their own where one has no room', async () => {
    const at = open();
    const category = at.guild.channel({ type: 'category', name: 'All' });
    const own = at.guild.channel({ name: 'news', parent: category });
    for (let place = 0; place < 48; place += 1)
      at.guild.channel({ name: `n${place}`, parent: category });
    const wizard = await startWizard(at);
    await wizard.press('sources', [own.id]);
    await wizard.press('into', ['es', 'ja']);
    await wizard.press('make');
    await wizard.made();
    const made = channelsOf(at).filter(({ name }) => name.startsWith('news-'));
    const [parent] = made.map(({ state }) => state.parentId);
    expect(made.every(({ state }) => state.parentId === parent)).toBe(true);
    expect(parent).not.toBe(category.id);
  });

  it.each([
    ['a server that is full meanwhile', { status: 400, body: { code: 30013, message: 'full' } }],
    ['a permission that was taken', { status: 403, body: { code: 50013, message: 'no' } }],
    ['an answer that is lost', { close: 'after' }],
  ] as const)('stops at %s, and goes on or is undone', async (_, effect) => {
    const at = open();
    const wizard = await startWizard(at);
    await wizard.press('into', ['es', 'ja', 'fr']);
    bot.discord.fail('POST /guilds/:id/channels', effect, SECOND);
    await wizard.press('make');
    expect(wizard.shown.content).toMatch(sentenceLike('autotranslate.wizard-unfinished'));
    bot.discord.heal();
    await wizard.press('make');
    await wizard.made();
    expect(channelsOf(at)).toHaveLength(4);
  });

  it('is undone where it stopped', async () => {
    const at = open();
    const wizard = await startWizard(at);
    await wizard.press('into', ['es', 'ja', 'fr']);
    await wizard.press('form', ['channels-roles']);
    const effect = { status: 400, body: { code: 30013, message: 'full' } };
    bot.discord.fail('POST /guilds/:id/channels', effect, SECOND);
    await wizard.press('make');
    bot.discord.heal();
    await wizard.press('undo');
    expect(wizard.shown.content).toContain(sentence('autotranslate.wizard-undone'));
    expect(channelsOf(at)).toHaveLength(1);
    expect([...at.guild.state.roles.values()]).toHaveLength(2);
  });

  it('says which channel was deleted after it was chosen, and makes the rest', async () => {
    const at = open();
    const gone = at.guild.channel({ name: 'short-lived' });
    const wizard = await startWizard(at);
    await wizard.press('sources', [gone.id, at.channel.id]);
    await wizard.press('into', ['es']);
    gone.delete();
    await wizard.press('make');
    const said = sentence('watch.deleted', { channel: `<#${gone.id}>` });
    expect(wizard.shown.content.split(`⚠️ ${said}`)).toHaveLength(2);
    expect(wizard.shown.content).toContain('general-español');
    expect(channelsOf(at)).toHaveLength(1);
    await wizard.press('make');
    await wizard.made();
    expect(channelsOf(at)).toHaveLength(2);
  });

  it('shows a channel to no role that not everybody sees', async () => {
    const at = open();
    const secret = at.guild.channel({
      name: 'secret',
      permissions: { everyone: { deny: ['ViewChannel'] }, bot: { allow: ['ViewChannel'] } },
    });
    const wizard = await startWizard(at);
    await wizard.press('sources', [secret.id]);
    await wizard.press('into', ['es']);
    await wizard.press('form', ['channels-hidden']);
    await wizard.press('make');
    expect(wizard.shown.content).toContain(
      sentence('autotranslate.wizard-not-open', { channel: `<#${secret.id}>` }),
    );
    expect([...at.guild.state.roles.values()]).toHaveLength(2);
  });
});
