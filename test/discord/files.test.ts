import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, copyOf, repliesTo, replyTo } from './shown.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();
const OPUS = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
const MEBIBYTE = 1_048_576;
const CDN = 'GET /cdn';

const file = (name: string, bytes: Uint8Array | string, contentType?: string) => ({
  name,
  bytes: Buffer.from(bytes as string),
  ...(contentType ? { contentType } : {}),
});

describe('files that people attach', () => {
  it('are named where they are too large to be carried over, and the rest is carried', async () => {
    const { english, spanish, ann } = await bot.linked();
    const attachments = [
      file('film.mp4', Buffer.alloc(25 * MEBIBYTE), 'video/mp4'),
      file('a.png', 'small', 'image/png'),
      file('b.bin', Buffer.alloc(10 * MEBIBYTE - 4)),
    ];
    const said = english.say(ann, 'Look at all of these', { attachments });
    const copy = await copyOf(said, spanish);
    const reason = sentence('reasons.too-large', {}, 'es');
    const left = (name: string) => sentence('autotranslate.file-left-out', { name, reason }, 'es');
    expect(bodyOf(copy)).toBe(
      ['es:Look at all of these', left('film.mp4'), left('b.bin')].join('\n'),
    );
    expect(copy.attachments.map(({ name }) => name)).toEqual(['a.png']);
  });

  it('are not fetched again when only the text changes, and are when they have to move', async () => {
    const { english, spanish, ann } = await bot.linked();
    const attachments = [file('a.png', 'small', 'image/png'), file('b.bin', 'other')];
    const said = english.say(ann, 'Look at both of these', { attachments });
    await copyOf(said, spanish);
    await bot.discord.until(() => bot.discord.requests.some(({ route }) => route === CDN));
    const fetched = (): number => bot.discord.requests.filter(({ route }) => route === CDN).length;
    const before = fetched();
    said.edit('Look at these two pictures');
    const changed = await copyOf(said, spanish, (text) => text.includes('two pictures'));
    expect(changed.attachments.map(({ name }) => name)).toEqual(['a.png', 'b.bin']);
    expect(fetched()).toBe(before);
    said.edit(`Look at this: ${'a long text about it. '.repeat(100)}`);
    await bot.discord.until(() => spanish.last?.content.endsWith('2/2') ?? false);
    expect(spanish.last?.attachments.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
      'small',
      'other',
    ]);
  });

  it('that cannot be read any more are named when they would have to move', async () => {
    const { english, spanish, ann } = await bot.linked();
    const said = english.say(ann, 'Look at this', { attachments: [file('a.png', 'small')] });
    await copyOf(said, spanish);
    said.loseFiles();
    said.edit(`Look at this: ${'a long text about it. '.repeat(100)}`);
    await bot.discord.until(() => spanish.last?.content.includes('📎 a.png') ?? false);
  });

  it('that are no recordings are told of, once and with the reason, beside the words', async () => {
    const at = await bot.reading();
    const { channel, ann } = at;
    bot.speech.hears = [{ text: 'what was really said', language: 'en' }];
    const lies = [
      file('song.ogg', 'this is no sound at all', 'audio/ogg'),
      file('empty.wav', '', 'audio/x-wav'),
      file('half.ogg', OPUS.subarray(0, 100), 'audio/ogg'),
      file('large.mp3', Buffer.alloc(25 * MEBIBYTE, 0x5a), 'audio/mpeg'),
    ];
    for (const lie of lies)
      await replyTo(channel.say(ann, '', { attachments: [lie] }), (text) =>
        text.includes(lie.name),
      );
    const said = channel.say(ann, 'My words stand beside a lie', { attachments: lies });
    const { content } = await replyTo(said);
    expect(content).toContain('🇪🇸 es:My words stand beside a lie\n⚠️ ');
    for (const { name } of lies) expect(content.split(name)).toHaveLength(2);
    const shy = channel.say(ann, '', { attachments: [file('memo.opus', OPUS)] });
    await replyTo(shy, (text) => text.includes('es:what was really said'));
    await bot.settled(at);
    expect(channel.messages.filter(({ replyTo: to }) => to)).toHaveLength(6);
    const status = await bot.use(at, 'status');
    expect(status.content).toContain(sentence('errors.audio.unknown'));
  });

  it('with names of every kind keep what Discord lets them keep', async () => {
    const { english, spanish, ann } = await bot.linked();
    const names = [
      '../../etc/passwd',
      '@everyone <@&1>.txt',
      'レポート 最終版.pdf',
      `${'n'.repeat(300)}.txt`,
    ];
    const attachments = names.map((name) => file(name, 'x', 'text/plain'));
    const copy = await copyOf(english.say(ann, 'Four files for you', { attachments }), spanish);
    expect(copy.attachments).toHaveLength(4);
    for (const { bytes } of copy.attachments) expect(Buffer.from(bytes).toString()).toBe('x');
  });

  it('whose addresses have expired while the bot was away are carried all the same', async () => {
    const { english, spanish, ann, ...at } = await bot.linked();
    await bot.use({ ...at, ann }, 'autotranslate reply', { languages: 'es' });
    await bot.stop();
    const picture = file('a.png', 'a picture', 'image/png');
    const said = english.say(ann, 'Look at this one', { attachments: [picture] });
    const spoken = at.channel.say(ann, '', { voice: { bytes: OPUS, durationSecs: 3 } });
    bot.discord.clock.advance(20 * 3_600_000);
    await bot.start();
    const copy = await copyOf(said, spanish);
    expect(Buffer.from(copy.attachments[0]!.bytes).toString()).toBe('a picture');
    await replyTo(spoken, (text) => text.includes('es:'));
    bot.discord.clock.advance(30 * 3_600_000);
    const used = bot.discord.command(ann, {
      name: sentence('commands.transcribe.menu'),
      target: spoken,
    });
    await used.until(({ shown }) => shown?.content === 'what was really said');
  });

  it('that are gone before they could be read are named, or left alone', async () => {
    const { english, spanish, ann, ...at } = await bot.linked();
    await bot.use({ ...at, ann }, 'autotranslate reply', { languages: 'es' });
    await bot.stop();
    const picture = file('gone.png', 'a picture', 'image/png');
    const said = english.say(ann, 'Look at this one', { attachments: [picture] });
    const spoken = at.channel.say(ann, '', { voice: { bytes: OPUS, durationSecs: 3 } });
    said.loseFiles();
    spoken.loseFiles();
    await bot.start();
    const reason = sentence('reasons.not-found', {}, 'es');
    const left = sentence('autotranslate.file-left-out', { name: 'gone.png', reason }, 'es');
    expect(bodyOf(await copyOf(said, spanish))).toBe(`es:Look at this one\n${left}`);
    await replyTo(at.channel.say(ann, 'And a word after it'));
    expect(repliesTo(spoken)).toHaveLength(0);
  });

  it.each([
    [413, 40_005, 'reasons.too-large'],
    [403, 50_013, 'reasons.forbidden'],
  ] as const)(
    'that Discord refuses with %i are named, with the reason',
    async (status, code, why) => {
      const { english, spanish, ann } = await bot.linked();
      const body = { message: 'refused', code };
      bot.discord.fail('POST /webhooks/:id/:token', { status, body });
      const picture = file('a.png', 'a picture', 'image/png');
      const said = english.say(ann, 'Look at this one', { attachments: [picture] });
      const reason = sentence(why, {}, 'es');
      const left = sentence('autotranslate.file-left-out', { name: 'a.png', reason }, 'es');
      expect(bodyOf(await copyOf(said, spanish))).toBe(`es:Look at this one\n${left}`);
    },
  );

  it('that break off on the way, or are refused for a moment, are asked for again', async () => {
    const picture = file('a.png', Buffer.alloc(200_000, 7), 'image/png');
    const effects = [{ close: 'after' }, { status: 503 }, { reset: 'before' }] as const;
    const carried = effects.map(async (effect) => {
      const { english, spanish, ann } = await bot.linked();
      let isFirst = true;
      const spoils = ({ path }: { path: string }): boolean => {
        const isSpoilt = isFirst && path.includes(english.id);
        isFirst &&= !isSpoilt;
        return isSpoilt;
      };
      bot.discord.fail('GET /cdn', effect, { while: spoils });
      const said = english.say(ann, 'Look at this one', { attachments: [picture] });
      return (await copyOf(said, spanish)).attachments[0]?.bytes.byteLength;
    });
    expect(await Promise.all(carried)).toEqual([200_000, 200_000, 200_000]);
  });
});
