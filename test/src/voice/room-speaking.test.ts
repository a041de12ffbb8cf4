import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { row } from '../../../src/rich-text/compose.ts';
import { mention, paragraph } from '../../../src/rich-text/rich-text.ts';
import { CHAT, human, openStage, OTHER, ROOM, settle, SPACE, type Stage } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';
import { rich } from '../../fakes/rich-text.ts';

const ANN = { id: 'ann', name: 'Ann' };

const open = async (choices = {}): Promise<Stage> => {
  const stage = await openStage({
    spokenNotice: false,
    partials: false,
    readAloud: ['chat'],
    ...choices,
  });
  stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
  await stage.join();
  return stage;
};

const says = (name: string): string => sentence('room.says', { name });

describe('reading aloud', () => {
  it('says what people write, in the order in which they wrote it', async () => {
    await using stage = await open();
    await stage.core.services.settings.change(
      { platform: SPACE.platform, id: 'ann' },
      { language: 'en' },
    );
    stage.place.write(CHAT, 'first', { author: { id: 'ann', name: 'Ann', kind: 'person' } });
    stage.place.write(CHAT, 'second', { author: { id: 'bob', name: 'Bob', kind: 'person' } });
    stage.place.write(CHAT, 'third', { author: { id: 'ann', name: 'Ann', kind: 'person' } });
    await stage.pass(10_000);
    expect(stage.said()).toEqual([
      `${says('Ann')} first`,
      `${says('Bob')} second`,
      `${says('Ann')} third`,
    ]);
  });

  it.each([
    ['of bots', { author: { id: 'x', name: 'X', kind: 'bot' as const } }],
    ['of ours', { author: { id: 'x', name: 'X', kind: 'ourselves' as const } }],
    ['of the platform', { system: true }],
  ])('says nothing %s', async (_, part) => {
    await using stage = await open();
    stage.place.write(CHAT, 'hello', part);
    await stage.pass(5_000);
    expect(stage.said()).toEqual([]);
  });

  it.each(['!play something', '/help me'])('says no command: %s', async (text) => {
    await using stage = await open();
    stage.place.write(CHAT, text);
    await stage.pass(5_000);
    expect(stage.said()).toEqual([]);
  });

  it.each(['! really', '/ or so', 'hey! stop'])('says what is none: %s', async (text) => {
    await using stage = await open();
    stage.place.write(CHAT, text);
    await stage.pass(5_000);
    expect(stage.said()).toHaveLength(1);
  });

  it('says nothing of other channels, of quiet ones, nor of people who opted out', async () => {
    await using stage = await open();
    stage.place.write(OTHER, 'elsewhere');
    await stage.press('privacy out', 'bob');
    stage.place.write(CHAT, 'from bob', { author: { id: 'bob', name: 'Bob', kind: 'person' } });
    await stage.pass(1_000);
    await stage.core.services.spaces.change(SPACE, { quietChannels: ['chat'] });
    stage.place.write(CHAT, 'quiet here');
    await stage.pass(5_000);
    expect(stage.said()).toEqual([]);
  });

  it.each([
    ['opted out', 'privacy out'],
    ['wants to be forgotten', 'privacy sure'],
  ])('says nothing more that waits of somebody who %s', async (_, press) => {
    await using stage = await open();
    for (const text of ['one', 'two', 'three'])
      stage.place.write(CHAT, `${text} ${'is a long story '.repeat(5)}`, {
        author: { id: 'bob', name: 'Bob', kind: 'person' },
      });
    stage.place.write(CHAT, 'of ann', { author: { id: 'ann', name: 'Ann', kind: 'person' } });
    await stage.pass(500);
    expect(stage.said()).toEqual([expect.stringContaining('one')]);
    await stage.press(press, 'bob');
    await stage.pass(10_000);
    expect(stage.said().at(-1)).toBe(`${says('Ann')} of ann`);
    expect(stage.said().join()).not.toMatch(/two|three/);
  });

  it('goes on for somebody who only refuses to be listened to', async () => {
    await using stage = await open();
    stage.place.write(CHAT, 'waits', { author: { id: 'bob', name: 'Bob', kind: 'person' } });
    await stage.press('captions out', 'bob');
    stage.place.write(CHAT, 'comes', { author: { id: 'bob', name: 'Bob', kind: 'person' } });
    await stage.pass(10_000);
    expect(stage.said().join('\n')).toBe(`${says('Bob')} waits\ncomes`);
  });

  it('counts files, and names whom a mention means', async () => {
    await using stage = await open();
    const file = { name: 'a.png' } as never;
    const member = (id: string) => mention(SPACE.platform, 'member', id);
    const text = row('look, ', member('bob'), ' and ', member('77'));
    stage.place.write(CHAT, [paragraph(...text)], { files: [file, file] });
    await stage.pass(5_000);
    expect(stage.said()).toEqual([
      `${says('Ann')} look, Bob and member 77\n${sentence('room.file', { count: 2 })}`,
    ]);
  });

  it('says words as the glossary has them', async () => {
    await using stage = await open();
    await stage.core.services.glossary.add(SPACE, {
      term: 'gif',
      language: 'en',
      translation: 'jif',
    });
    stage.place.write(CHAT, 'this is a gif of what I was told');
    await stage.pass(5_000);
    expect(stage.said().join()).toContain('this is a jif of what I was told');
  });

  it('leaves out without a word what is the same for the third time', async () => {
    await using stage = await open();
    for (let i = 0; i < 4; i += 1) stage.place.write(CHAT, 'spam');
    await stage.pass(10_000);
    expect(stage.said().join().match(/spam/g)).toHaveLength(2);
    expect(stage.place.texts(ROOM)).toEqual([]);
  });

  it('begins and ends with the choice of moderators', async () => {
    await using stage = await open();
    await stage.choose({ readAloud: [] });
    expect(stage.core.rooms.reads(CHAT)).toBe(false);
    await stage.choose({ readAloud: ['other'] });
    expect(stage.core.rooms.reads(OTHER)).toBe(true);
    await stage.room().leave();
    expect(stage.core.rooms.reads(OTHER)).toBe(false);
  });
});

describe('the voice in a room', () => {
  it('is a person’s own for their words, and the bot’s for its answers', async () => {
    await using stage = await open();
    await stage.core.services.settings.change(
      { platform: SPACE.platform, id: 'ann' },
      { voiceId: 'own' },
    );
    await stage.room().say({ kind: 'say', text: rich('from ann'), by: ANN });
    await stage.room().say({ kind: 'answer', text: rich('from us'), by: ANN });
    await stage.pass(5_000);
    expect(stage.voices).toEqual(['own', 'ours']);
  });

  it('comes to what waits the sooner, the longer it speaks already', async () => {
    await using stage = await open();
    for (const text of ['a story of some length', 'and another one'])
      await stage.room().say({ kind: 'say', text: rich(text), by: ANN });
    await stage.pass(0);
    const waits = (): number | undefined => stage.room().queue().items[1]?.waitsMs;
    const before = waits();
    await stage.pass(200);
    expect(waits()).toBe((before ?? 0) - 200);
  });

  it('goes on after something could not be played, and informs the room', async () => {
    await using stage = await open();
    stage.place.faults.play = new AppError('internal', 'broken');
    await stage.room().say({ kind: 'say', text: rich('lost'), by: ANN });
    await stage.pass(3_000);
    expect(stage.place.texts(ROOM)).toEqual([expect.stringMatching(sentenceLike('room.not-said'))]);
    stage.place.faults.play = undefined;
    await stage.room().say({ kind: 'say', text: rich('said'), by: ANN });
    await stage.pass(3_000);
    expect(stage.said()).toEqual([expect.stringContaining('said')]);
  });

  it('informs once that the service has no voice for it', async () => {
    await using stage = await open();
    stage.script.dumb = new AppError('unavailable', 'no voice');
    for (const text of ['one', 'two', 'three'])
      await stage.room().say({ kind: 'say', text: rich(text), by: ANN });
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM)).toHaveLength(1);
  });

  it('ends with the room at once', async () => {
    await using stage = await open();
    await stage.room().say({ kind: 'say', text: rich('a long story '.repeat(50)), by: ANN });
    await stage.pass(500);
    expect(stage.place.playing()).toBe(1);
    await stage.room().leave();
    expect(stage.place.playing()).toBe(0);
    await stage.pass(3_000);
    expect(stage.clock.waiting).toBe(0);
  });

  it.each(['lower', 'stop'] as const)(
    'gives way to people where the room wants it (%s), and sends nothing for that',
    async (bargeIn) => {
      await using stage = await open({ bargeIn });
      await stage.pass(2_000);
      expect(stage.place.texts(ROOM)).toEqual([
        expect.stringContaining(sentence('room.listens-voices')),
      ]);
      expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
      await stage.room().say({ kind: 'say', text: rich('a long story '.repeat(20)), by: ANN });
      await stage.pass(500);
      await stage.place.speak('bob', 'wait', 600);
      expect(stage.place.playing()).toBe(bargeIn === 'lower' ? 1 : 0);
      await stage.pass(3_000);
      expect(stage.sent).toEqual([]);
      expect(await stage.used()).toMatchObject({ audioMs: 0 });
    },
  );

  it('stays low as long as somebody speaks', async () => {
    await using stage = await open({ bargeIn: 'lower' });
    await stage.pass(2_000);
    const words = Array.from({ length: 100 }, (_, at) => `word ${at}`).join(', ');
    await stage.room().say({ kind: 'say', text: rich(words), by: ANN });
    await stage.pass(500);
    /** Whether each packet was passed on as it came, in a stretch in which somebody speaks, or nobody. */
    const listen = async (packets: number, speaker?: string): Promise<boolean[]> => {
      const { played } = stage.place;
      const from = played.length;
      for (let sent = 0; sent < packets; sent += 1) {
        const before = played.length;
        if (speaker) stage.place.packet(speaker, 'wait');
        await stage.clock.advance(20);
        // Codecs take their own time to be there.
        for (let turn = 0; turn < 10_000 && played.length === before; turn += 1) await settle();
      }
      return played.slice(from).map(({ data }) => data.length === 3);
    };
    const spoken = await listen(450, 'bob');
    expect(spoken.slice(50)).not.toContain(true);
    const after = await listen(150);
    expect(after.slice(75)).not.toContain(false);
  });

  it('leaves no timer behind where everybody was just gone', async () => {
    await using stage = await open();
    stage.place.exit(ROOM, 'ann', 'bob');
    await stage.room().leave();
    expect(stage.clock.waiting).toBe(0);
  });

  it('goes on when nothing was chosen, and then listens to nobody', async () => {
    await using stage = await open();
    await stage.pass(3_000);
    expect(stage.place.subscribed()).toEqual([]);
    expect(stage.place.texts(ROOM)).toEqual([]);
  });
});

it('a flood of messages leaves one message about those that were dropped', async () => {
  await using stage = await openStage({ spokenNotice: false, readAloud: [CHAT.id] });
  stage.place.enter(ROOM, human('ann', 'Ann'));
  await stage.join();
  for (let at = 0; at < 40; at += 1) {
    const id = `p${at % 8}`;
    stage.place.write(CHAT, 'who is at the gate, and why is nobody there to open it for us?', {
      author: { id, name: id, kind: 'person' },
    });
    await stage.pass(250);
  }
  await stage.pass(60_000);
  const told = stage.place.texts(ROOM).filter((text) => sentenceLike('room.dropped').test(text));
  expect(told).toHaveLength(1);
});
