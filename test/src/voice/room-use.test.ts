import { describe, expect, it } from 'vitest';
import { CHAT, human, openStage, ROOM, settle, SPACE, type Stage } from './room-harness.ts';
import { sentenceLike } from '../../fakes/sentences.ts';
import { rich } from '../../fakes/rich-text.ts';

const DAY_MS = 86_400_000;

const open = async (choices = {}, limits = {}): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false, ...choices });
  await stage.core.services.spaces.change(SPACE, limits);
  stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
  await stage.join();
  return stage;
};
const usedBy = async (stage: Stage, id: string) => {
  const bytes = await stage.core.services.privacy.export({ platform: SPACE.platform, id });
  const { usage } = JSON.parse(Buffer.from(bytes).toString()) as {
    usage: { characters: number; audioMs: number; messages: number }[];
  };
  return usage[0] ?? { characters: 0, audioMs: 0, messages: 0 };
};

describe('what a room uses', () => {
  it('is counted once for each caption, for who spoke', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: ['es', 'fr'] });
    await stage.say('ann', 'hello');
    await stage.pass(3_000);
    const ann = await usedBy(stage, 'ann');
    expect(ann.audioMs).toBeGreaterThan(900);
    expect(ann.audioMs).toBeLessThan(1_500);
    expect(ann).toMatchObject({ characters: 10, messages: 1 });
    expect(await usedBy(stage, 'bob')).toMatchObject({ audioMs: 0 });
  });

  it('counts what was spoken, for its author, and nothing that was not', async () => {
    await using stage = await open();
    const room = stage.room();
    await room.say({ kind: 'say', text: rich('hello room'), by: { id: 'ann', name: 'Ann' } });
    await room.say({ kind: 'say', text: rich('never heard'), by: { id: 'bob', name: 'Bob' } });
    await stage.pass(100);
    room.stopSpeaking();
    await stage.pass(10_000);
    expect(await usedBy(stage, 'ann')).toMatchObject({ characters: 10, messages: 1 });
    expect(await usedBy(stage, 'bob')).toMatchObject({ characters: 0 });
  });

  it('reserves nothing for what was stopped before it was spoken', async () => {
    await using stage = await open({}, { dailyCharacters: 50 });
    const by = { id: 'ann', name: 'Ann' };
    const room = stage.room();
    await room.say({ kind: 'say', text: rich('now and on'), by });
    await stage.pass(100);
    await room.say({ kind: 'say', text: rich('thirty letters that are waiting'), by });
    await expect(
      room.say({ kind: 'say', text: rich('thirty letters that are too many'), by }),
    ).rejects.toMatchObject({ code: 'rate-limited' });
    room.stopSpeaking();
    await expect(
      room.say({ kind: 'say', text: rich('thirty letters that fit again'), by }),
    ).resolves.toBe(true);
  });

  it('does not count the bot’s own notices', async () => {
    await using stage = await open({ spokenNotice: true });
    const starting = stage.room().startCaptions({ languages: [] });
    await stage.pass(10_000);
    await starting;
    expect(stage.said().length).toBeGreaterThan(0);
    expect(await stage.used()).toMatchObject({ characters: 0 });
  });

  it('counts an answer with its question, for who asked', async () => {
    await using stage = await open({ wakeWord: true });
    await stage.pass(2_000);
    await stage.say('bob', 'Dragoman, what is six times seven?');
    await stage.pass(5_000);
    expect(stage.said()).toContain('Forty-two.');
    const bob = await usedBy(stage, 'bob');
    expect(bob.messages).toBe(2);
    expect(bob.characters).toBeGreaterThan('Forty-two.'.length * 2);
    expect(await usedBy(stage, 'ann')).toMatchObject({ characters: 0, audioMs: 0 });
  });
});

describe('a limit of sound', () => {
  it('lets no captions begin once it is reached', async () => {
    await using stage = await open({}, { dailyAudioMinutes: 0 });
    await expect(stage.room().startCaptions({ languages: [] })).rejects.toMatchObject({
      code: 'rate-limited',
      sentence: { key: 'limits.audio' },
    });
    await expect(
      stage.room().listenTo({ id: 'ann', name: 'Ann' }, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'rate-limited' });
    expect(stage.place.texts(ROOM)).toEqual([]);
  });

  it('ends captions with one note that says why', async () => {
    await using stage = await open({}, { dailyAudioMinutes: 1 });
    await stage.room().startCaptions({ languages: [] });
    await stage.core.services.usage.record(SPACE, 'eve', {
      characters: 0,
      audioMs: 59_500,
      messages: 0,
    });
    await Promise.all([
      stage.place.speak('ann', 'one too many', 1_000),
      (async () => {
        for (let at = 0; at < 50; at += 1) {
          stage.place.packet('bob', 'and another');
          await settle();
        }
      })(),
    ]);
    await stage.pass(15_000);
    const lines = stage.place
      .texts(ROOM)
      .filter((text) => sentenceLike('room.captions-limit').test(text));
    expect(lines).toEqual([
      expect.stringMatching(sentenceLike('limits.audio', { used: 1, limit: 1 })),
    ]);
    expect(
      stage.place.texts(ROOM).filter((text) => sentenceLike('room.captions-ended').test(text)),
    ).toHaveLength(1);
    expect(stage.room().captions).toBeUndefined();
    expect(stage.place.subscribed()).toEqual([]);
  });

  it('ends listening for the bot’s name too, until the next day', async () => {
    await using stage = await open({ wakeWord: true }, { dailyAudioMinutes: 1 });
    await stage.pass(2_000);
    await stage.core.services.usage.record(SPACE, 'eve', {
      characters: 0,
      audioMs: 60_000,
      messages: 0,
    });
    await stage.say('ann', 'anything');
    expect(stage.place.subscribed()).toEqual([]);
    await stage.pass(DAY_MS);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
  });

  it('holds no longer than until it is raised and somebody asks for something', async () => {
    await using stage = await open({ wakeWord: true }, { dailyAudioMinutes: 1 });
    await stage.pass(2_000);
    const used = { characters: 0, audioMs: 60_000, messages: 0 };
    await stage.core.services.usage.record(SPACE, 'eve', used);
    await stage.say('ann', 'anything');
    expect(stage.place.subscribed()).toEqual([]);
    await stage.core.services.spaces.change(SPACE, { dailyAudioMinutes: 2 });
    await stage.room().startCaptions({ languages: [] });
    await settle();
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await stage.room().stopCaptions();
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await stage.room().leave();
    await stage.pass(2_000);
    expect(stage.clock.waiting).toBe(0);
  });
});

describe('a limit of characters', () => {
  it('refuses speech, with a sentence, before it waits', async () => {
    await using stage = await open({}, { dailyCharacters: 15 });
    await stage.join();
    expect(await stage.run('say', 'ann', { text: 'hello room' })).toContain('#room');
    expect(await stage.run('say', 'ann', { text: 'and more' })).toMatch(
      sentenceLike('limits.characters'),
    );
    await stage.pass(5_000);
    expect(stage.said()).toHaveLength(1);
    expect(await stage.used()).toMatchObject({ characters: 10 });
  });

  it('leaves unread what people write, and says so once a day', async () => {
    await using stage = await open({ readAloud: ['chat'] }, { dailyCharacters: 3 });
    for (const text of ['one message', 'two messages', 'three messages'])
      stage.place.write(CHAT, text);
    await stage.pass(5_000);
    expect(stage.said()).toEqual([]);
    const lines = stage.place
      .texts(ROOM)
      .filter((text) => sentenceLike('room.not-said').test(text));
    expect(lines).toEqual([expect.stringMatching(sentenceLike('limits.characters'))]);
  });
});
