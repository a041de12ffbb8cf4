import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import { openDiscord, placeOf, type Told } from '../support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { row } from '../../../../src/rich-text/compose.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { shared } from '../../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => {
  discord.core.told.length = 0;
});
afterEach(() => {
  discord.core.watching = () => true;
  discord.core.keeping = async () => undefined;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  return { guild, channel, ann: discord.fake.user({ name: 'Ann' }), here: placeOf(guild, channel) };
};

type Of<What extends Told['what']> = Extract<Told, { what: What }>;

/** The next thing told of this kind. */
const told = async <What extends Told['what']>(
  what: What,
  holds: (one: Of<What>) => boolean = () => true,
): Promise<Of<What>> =>
  eventually(() => {
    const found = discord.core.told.find((one) => one.what === what && holds(one as Of<What>));
    if (!found) throw new Error(`nothing ${what} was told`);
    return found as Of<What>;
  });

test('a message tells its author by the name that others see, and where it stands', async () => {
  const { guild, channel, ann, here } = setUp();
  const role = guild.role('staff', []);
  guild.join(ann, [role]);
  guild.rename(ann, 'Anna');
  const said = channel.say(ann, 'hello');
  const { message } = await told('seen');
  expect(message).toMatchObject({
    ref: { channel: here, id: said.id },
    position: said.id.padStart(20, '0'),
    author: { id: ann.id, name: 'Anna', kind: 'person', roles: [role.id] },
    text: rich('hello'),
    files: [],
  });
  expect(message.system).toBeUndefined();
});

test('polls, forwards, stickers, embeds of bots, replies and pins are told as what they show', async () => {
  const { channel, ann, here } = setUp();
  const hook = channel.webhook(ann);
  const first = channel.say(ann, 'first');
  channel.say(ann, '', { poll: { question: 'Tea?', answers: ['Yes', 'No'] } });
  channel.say(ann, '', { forward: first });
  channel.say(ann, '', { stickers: ['wave'] });
  channel.say(ann, 'answer', { replyTo: first });
  channel.say(ann, '', { type: 6 });
  hook.say('from elsewhere');
  await told('seen', ({ message }) => plainText(message.text) === 'from elsewhere');
  const seen = discord.core.told.filter((one) => one.what === 'seen').map(({ message }) => message);
  expect(seen).toMatchObject([
    { text: rich('first') },
    { text: rich('Tea?\n- Yes\n- No'), holds: 'poll' },
    { text: rich('first'), forwarded: true },
    { text: [], stickers: [{ name: 'wave' }] },
    { text: rich('answer'), replyTo: { channel: here, id: first.id } },
    { system: true },
    { text: rich('from elsewhere'), author: { kind: 'bot' } },
  ]);
});

test('a file comes with its alt text', async () => {
  const { channel, ann } = setUp();
  const bytes = Buffer.from('cat');
  channel.say(ann, '', { attachments: [{ name: 'cat.png', bytes, description: 'A black cat' }] });
  const { message } = await told('seen');
  expect(message.files).toMatchObject([{ name: 'cat.png', altText: 'A black cat' }]);
});

test('voice messages and files can be read, more than once, with a new address if need be', async () => {
  const { channel, ann } = setUp();
  channel.say(ann, '', { voice: { bytes: Buffer.from('sound'), durationSecs: 2.5 } });
  const { message } = await told('seen');
  const [file] = message.files;
  expect(file).toMatchObject({
    mediaType: 'audio/ogg',
    sizeBytes: 5,
    voice: { durationMs: 2_500 },
  });
  const read = async (): Promise<string> =>
    Buffer.concat(await Array.fromAsync(file!.open())).toString();
  expect(await read()).toBe('sound');
  discord.fake.clock.advance(48 * 3_600_000);
  expect(await read()).toBe('sound');
  channel.last?.loseFiles();
  await expect(read()).rejects.toMatchObject({ code: 'not-found' });
});

test('what we write ourselves, through a webhook too, is told as ours', async () => {
  const { channel, ann, here } = setUp();
  const said = channel.say(ann, 'hello');
  const copy = {
    source: { channel: here, id: said.id },
    content: { text: rich('hola') },
    key: 'watch',
    label: row('🇪🇸'),
    as: { name: 'Ann' },
  };
  const options = { mayExist: false, signal: new AbortController().signal };
  await Array.fromAsync(discord.mirrors.create({ channel: here }, [copy], options));
  const { message } = await told('seen', (one) => plainText(one.message.text).startsWith('hola'));
  expect(message.author).toMatchObject({ name: 'Ann', kind: 'ourselves' });
  await discord.adapter.platform.post(here, { text: rich('by the bot') });
  const own = await told('seen', (one) => plainText(one.message.text) === 'by the bot');
  expect(own.message.author.kind).toBe('ourselves');
});

test('new messages where nobody watches are not told, edits are', async () => {
  const { channel, ann } = setUp();
  discord.core.watching = () => false;
  const said = channel.say(ann, 'before');
  said.edit('after');
  const { message } = await told('seen');
  expect(message.text).toEqual(rich('after'));
});

test('deletes, purges and bans are told', async () => {
  const { guild, channel, ann, here } = setUp();
  const [one, two, three] = ['1', '2', '3'].map((text) => channel.say(ann, text));
  one?.delete();
  expect((await told('gone')).refs).toEqual([{ channel: here, id: one?.id }]);
  channel.purge([two!, three!]);
  await told('gone', ({ refs }) => refs.length === 2);
  guild.ban(ann);
  expect(await told('banned')).toMatchObject({
    space: here.space,
    authorId: ann.id,
    name: 'Ann',
  });
});

test('reactions are told as they come and go, and counted without our own', async () => {
  const { channel, ann, here } = setUp();
  const bob = discord.fake.user();
  const said = channel.say(ann, 'hello');
  const ref = { channel: here, id: said.id };
  said.react(ann, '🇯🇵');
  said.react(bob, '🇯🇵');
  expect(await told('reacted')).toMatchObject({ ref, emoji: '🇯🇵', present: true });
  expect(await discord.feed.reactors(ref, '🇯🇵')).toHaveLength(2);
  said.unreact(ann, '🇯🇵');
  await told('reacted', ({ present }) => !present);
  expect(await discord.feed.reactors(ref, '🇯🇵')).toHaveLength(1);
  expect(await discord.feed.reactors(ref, '🇫🇷')).toHaveLength(0);
});

test('what other bots press is neither told nor counted', async () => {
  const { guild, channel, ann, here } = setUp();
  const menu = discord.fake.user({ name: 'RoleMenu', bot: true });
  guild.join(menu);
  const said = channel.say(ann, 'Choose your language');
  said.react(menu, '🇯🇵');
  said.react(ann, '🇯🇵');
  const ref = { channel: here, id: said.id };
  await told('reacted');
  expect(await discord.feed.reactors(ref, '🇯🇵')).toHaveLength(1);
  said.unreact(ann, '🇯🇵');
  await told('reacted', ({ present }) => !present);
  expect(discord.core.told.filter(({ what }) => what === 'reacted')).toHaveLength(2);
  expect(await discord.feed.reactors(ref, '🇯🇵')).toHaveLength(0);
});

test('a thread is told with the channel that it belongs to', async () => {
  const { guild, channel, ann } = setUp();
  const thread = channel.startThread(ann, 'aside');
  thread.say(ann, 'in here');
  const { message } = await told('seen', (one) => plainText(one.message.text) === 'in here');
  const place = { ...placeOf(guild, thread), parentId: channel.id };
  expect(message.ref.channel).toEqual(place);
  thread.delete();
  expect((await told('channelGone')).channel).toEqual(place);
});

test('a channel that goes and a server that is left are told', async () => {
  const { guild, channel, here } = setUp();
  channel.delete();
  expect((await told('channelGone')).channel).toEqual(here);
  guild.kickBot();
  expect((await told('spaceGone')).space).toEqual(here.space);
});

test('a message that could not be kept is asked for again', async () => {
  const { channel, ann, here } = setUp();
  discord.core.keeping = async () => {
    throw new Error('disk full');
  };
  const said = channel.say(ann, 'hello');
  expect(
    await told(
      'missed',
      (one) => one.channel.id === channel.id && one.newest === said.id.padStart(20, '0'),
    ),
  ).toMatchObject({ channel: here });
});

test('a message that could not be fetched is asked for again', async () => {
  const { channel, ann } = setUp();
  const said = channel.say(ann, 'before');
  said.edit('after');
  await told('seen', ({ message }) => plainText(message.text) === 'after');
  discord.fake.fail('GET /channels/:id/messages/:id', { close: 'before' }, { times: 4 });
  // Older than what was told before: the message is looked at.
  said.echo();
  await told('missed', (one) => one.channel.id === channel.id);
});

test('a new session says what may have been missed before it tells anything new', async () => {
  let missed = '';
  await using fresh = await openDiscord({ limits: 'off' }, {}, (fake) => {
    const channel = fake.guild().channel();
    missed = channel.say(fake.user(), 'while away').id;
    const thread = channel.startThread(fake.user(), 'aside');
    thread.say(fake.user(), 'in here');
  });
  const { told: all } = fresh.core;
  expect(all.map(({ what }) => what)).toEqual(['missed', 'missed']);
  expect(all).toMatchObject([
    { newest: missed.padStart(20, '0') },
    { channel: { parentId: expect.any(String) }, newest: expect.any(String) },
  ]);
});

test('what was written while a channel was hidden is told to be missed once it is seen again', async () => {
  const { guild, channel, ann, here } = setUp();
  const thread = channel.startThread(ann, 'aside');
  thread.say(ann, 'before');
  await told('seen', ({ message }) => plainText(message.text) === 'before');
  const hidden = [...(['ViewChannel'] as const)];
  channel.deny(...hidden);
  const [lost, inThread] = [channel.say(ann, 'unseen'), thread.say(ann, 'unseen too')];
  discord.core.told.length = 0;
  channel.allow(...hidden);
  const newest = (message: typeof lost) => message.id.padStart(20, '0');
  const missed = async (id: string) => told('missed', (one) => one.channel.id === id);
  expect(await missed(channel.id)).toMatchObject({ channel: here, newest: newest(lost) });
  expect(await missed(thread.id)).toMatchObject({
    channel: { ...placeOf(guild, thread), parentId: channel.id },
    newest: newest(inThread),
  });
});

test('what a role lets the bot see again is told to be missed, what changes its name is not', async () => {
  const { guild, channel, ann, here } = setUp();
  channel.say(ann, 'before');
  await told('seen');
  guild.setBotPermissions([]);
  guild.setEveryonePermissions([]);
  channel.say(ann, 'unseen');
  discord.core.told.length = 0;
  guild.setEveryonePermissions(['ViewChannel', 'ReadMessageHistory']);
  expect(await told('missed')).toMatchObject({ channel: here, newest: undefined });
  discord.core.told.length = 0;
  guild.setEveryonePermissions(['ViewChannel', 'ReadMessageHistory']);
  channel.say(ann, 'after');
  await told('seen');
  expect(discord.core.told.filter(({ what }) => what === 'missed')).toEqual([]);
});

test('what changes where everything can be read already is nothing missed', async () => {
  const { guild, channel, ann } = setUp();
  channel.say(ann, 'before');
  await told('seen');
  discord.core.told.length = 0;
  channel.rename('another-name');
  const everyday = ['ViewChannel', 'ReadMessageHistory', 'SendMessages'] as const;
  guild.setEveryonePermissions(everyday);
  guild.give(discord.fake.botUser, guild.role('helpers', everyday));
  channel.say(ann, 'after');
  await told('seen');
  expect(discord.core.told.map(({ what }) => what)).not.toContain('missed');
});

test('what a role that the bot gets lets it see is told to be missed', async () => {
  const { guild, channel, ann, here } = setUp();
  channel.say(ann, 'before');
  await told('seen');
  guild.setBotPermissions([]);
  guild.setEveryonePermissions([]);
  const role = guild.role('readers', ['ViewChannel', 'ReadMessageHistory']);
  channel.say(ann, 'unseen');
  discord.core.told.length = 0;
  guild.give(discord.fake.botUser, role);
  expect(await told('missed')).toMatchObject({ channel: here, newest: undefined });
});

test('a dropped connection is taken up again, without a word of it', async () => {
  const { channel, ann } = setUp();
  discord.core.told.length = 0;
  discord.fake.gateway.drop();
  channel.say(ann, 'replayed');
  const seen = await told('seen', ({ message }) => plainText(message.text) === 'replayed');
  expect(seen).toMatchObject({ message: { text: rich('replayed') } });
  expect(discord.core.told.filter(({ what }) => what === 'missed')).toEqual([]);
});

test('history comes page by page, oldest first', async () => {
  const { channel, ann, here } = setUp();
  const first = channel.say(ann, 'first');
  for (let index = 0; index < 250; index += 1) channel.say(ann, `line ${index}`);
  const after = first.id.padStart(20, '0');
  const history = await Array.fromAsync(
    discord.feed.history(here, after, new AbortController().signal),
  );
  expect(history.map(({ text }) => plainText(text))).toEqual(
    Array.from({ length: 250 }, (_, index) => `line ${index}`),
  );
  expect(await discord.feed.read({ channel: here, id: first.id })).toMatchObject({
    text: rich('first'),
  });
  first.delete();
  expect(await discord.feed.read({ channel: here, id: first.id })).toBeUndefined();
});

test('positions sort as times do', () => {
  const now = Date.now();
  const before = discord.feed.positionAt(now - 1);
  expect(before < discord.feed.positionAt(now)).toBe(true);
  expect(discord.feed.timeOf(discord.feed.positionAt(now))).toBe(now);
  expect(discord.feed.positionAt(0)).toBe('0'.repeat(20));
});

test('names of people and files come without direction and control characters', async () => {
  const { channel, guild } = setUp();
  const eve = discord.fake.user({ name: 'Eve' });
  guild.join(eve);
  guild.rename(eve, 'Eve\u202Enimda\u0007');
  const file = { name: 'evil\u202Egpj.ogg', contentType: 'audio/ogg', bytes: Buffer.from('x') };
  channel.say(eve, 'look', { attachments: [file] });
  const { message } = await told('seen', (one) => one.message.files.length > 0);
  expect(message.author.name).toBe('Eve nimda');
  expect(message.files.map(({ name }) => name)).toEqual(['evil gpj.ogg']);
});
