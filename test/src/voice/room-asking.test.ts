import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { human, openStage, pressesOf, ROOM, settle, type Stage } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const ANN = { id: 'ann', name: 'Ann' };
const never = new AbortController().signal;

const open = async (choices = {}): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false, ...choices });
  stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
  await stage.join();
  await stage.pass(2_000);
  return stage;
};
const texts = (stage: Stage): string => stage.place.texts(ROOM).join('\n');

describe('a question by voice', () => {
  it('listens to the one who asks alone, and to nobody after it', async () => {
    await using stage = await open();
    const { waiting } = stage.clock;
    const heard = stage.room().listenTo(ANN, never);
    await settle();
    expect(stage.place.subscribed()).toEqual(['ann']);
    await stage.say('bob', 'not me');
    await stage.say('ann', 'what time is it');
    await expect(heard).resolves.toBe('what time is it');
    await settle();
    expect(stage.place.subscribed()).toEqual([]);
    expect(stage.sent).toEqual([['what time is it']]);
    expect(texts(stage)).toBe('');
    await stage.pass(1_000);
    expect(stage.clock.waiting).toBe(waiting);
  });

  it('makes no caption of somebody who is not listened to otherwise', async () => {
    await using stage = await open({ consent: 'agreed' });
    await stage.room().startCaptions({ languages: [] });
    await stage.press('captions in', 'bob');
    const heard = stage.room().listenTo(ANN, never);
    await settle();
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await stage.place.speak('bob', 'for everybody');
    await stage.say('ann', 'only a question');
    await expect(heard).resolves.toBe('only a question');
    await settle();
    expect(stage.place.subscribed()).toEqual(['bob']);
    await stage.pass(3_000);
    expect(texts(stage)).toContain('for everybody');
    expect(texts(stage)).not.toContain('only a question');
    expect(stage.room().recentCaptions()).toEqual(['Bob: for everybody']);
  });

  it('makes a caption of somebody who is listened to anyway', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    await settle();
    const heard = stage.room().listenTo(ANN, never);
    await settle();
    await stage.say('ann', 'a question for all');
    await expect(heard).resolves.toBe('a question for all');
    expect(texts(stage)).toContain('a question for all');
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
  });

  it('is the speech from then on, not what was said to others before', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    await settle();
    await stage.place.speak('ann', 'to my neighbour');
    await stage.pass(300);
    const heard = stage.room().listenTo(ANN, never);
    await stage.pass(1_000);
    await stage.say('ann', 'to the bot');
    await expect(heard).resolves.toBe('to the bot');
  });

  it('is not listened to for a member who refused', async () => {
    await using stage = await open();
    await stage.press('captions out', 'ann');
    await expect(stage.room().listenTo(ANN, never)).rejects.toMatchObject({
      sentence: { key: 'room.not-heard' },
    });
    expect(stage.place.subscriptions.flat()).toEqual([]);
  });

  it.each([
    ['when they refuse', (stage: Stage) => stage.press('captions out', 'ann')],
    ['when the room is left', (stage: Stage) => stage.room().leave()],
  ])('ends %s', async (_, end) => {
    await using stage = await open();
    const heard = expect(stage.room().listenTo(ANN, never)).rejects.toMatchObject({
      name: 'AppError',
    });
    await settle();
    await stage.place.speak('ann', 'half a question', 300);
    await end(stage);
    await heard;
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toEqual([]);
    expect(stage.sent).toEqual([]);
  });

  it('is dropped in its middle when the asker takes it back, while others ask on', async () => {
    await using stage = await open();
    const stop = new AbortController();
    const taken = expect(stage.room().listenTo(ANN, stop.signal)).rejects.toThrow('never mind');
    const other = stage.room().listenTo({ id: 'bob', name: 'Bob' }, never);
    await settle();
    await stage.place.speak('ann', 'half a question', 300);
    stop.abort(new Error('never mind'));
    await taken;
    await stage.say('bob', 'a whole question');
    await expect(other).resolves.toBe('a whole question');
    expect(stage.sent).toEqual([['a whole question']]);
  });

  it('ends after a while without speech', async () => {
    await using stage = await open();
    const heard = expect(stage.room().listenTo(ANN, never)).rejects.toMatchObject({
      sentence: { key: 'room.nothing-heard' },
    });
    await stage.pass(31_000);
    await heard;
    await settle();
    expect(stage.place.subscribed()).toEqual([]);
  });

  it('goes on being listened to when captions end meanwhile', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    const heard = stage.room().listenTo(ANN, never);
    await settle();
    await stage.room().stopCaptions();
    expect(stage.place.subscribed()).toEqual(['ann']);
    await stage.say('ann', 'still there?');
    await expect(heard).resolves.toBe('still there?');
  });
});

const asked = (question: string): string => sentence('room.heard-you', { name: 'Ann', question });

describe('the bot’s name', () => {
  it('begins a question where moderators want that, of people who were informed', async () => {
    await using stage = await open({ wakeWord: true });
    const [notice] = stage.place.contents(ROOM);
    expect(stage.place.texts(ROOM)[0]).toContain(sentence('room.listens-name'));
    expect(pressesOf(notice)).toEqual(['captions in', 'captions out']);
    await stage.say('ann', 'just talking');
    await stage.say('ann', 'Dragoman, what is six times seven?');
    await stage.pass(3_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe(`${asked('what is six times seven?')}\nForty-two.`);
    expect(stage.said()).toEqual(['Forty-two.']);
    expect(texts(stage)).not.toContain('just talking');
    expect(stage.room().captions).toBeUndefined();
  });

  it('is announced again when captions begin, and when they end', async () => {
    await using stage = await open({ wakeWord: true });
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    const starting = stage.room().startCaptions({ languages: [] });
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await starting;
    await settle();
    expect(stage.place.subscriptions).toContainEqual([]);
    expect(texts(stage)).toContain(sentence('room.notice'));
    await stage.room().stopCaptions();
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain(sentence('room.listens-name'));
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
  });

  it('is all that is listened for: speech before the captions, or after them, is no caption', async () => {
    await using stage = await open({ wakeWord: true });
    const held = Promise.withResolvers<void>();
    stage.script.hearing = held.promise;
    await stage.say('ann', 'said before');
    const starting = stage.room().startCaptions({ languages: [] });
    await settle();
    held.resolve();
    await starting;
    await stage.say('ann', 'for everybody');
    const more = Promise.withResolvers<void>();
    stage.script.hearing = more.promise;
    await stage.place.speak('ann', 'the last words');
    const stopping = stage.room().stopCaptions();
    await stage.pass(2_000);
    stage.script.hearing = undefined;
    await stage.say('ann', 'said after');
    more.resolve();
    await stage.pass(2_000);
    await stopping;
    expect(stage.sent.flat()).toEqual(
      expect.arrayContaining(['said before', 'for everybody', 'the last words', 'said after']),
    );
    const file = await stage.room().transcript('txt');
    const all = `${texts(stage)}\n${Buffer.from(file!.bytes).toString()}`;
    expect(all).toContain('for everybody');
    expect(all).toContain('the last words');
    expect(all).not.toContain('said before');
    expect(all).not.toContain('said after');
  });

  it('is listened for as long as moderators want it', async () => {
    await using stage = await open();
    await stage.choose({ wakeWord: true });
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await stage.choose({ wakeWord: false });
    expect(stage.place.subscribed()).toEqual([]);
  });

  it('gets a note where there is no answer', async () => {
    await using stage = await open({ wakeWord: true });
    stage.script.mute = new AppError('unavailable', 'no language model');
    await stage.say('ann', 'Dragoman, are you there?');
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toMatch(sentenceLike('room.not-answered'));
    expect(stage.said()).toEqual([]);
  });

  it('gets a note where the answer is posted and cannot be spoken', async () => {
    await using stage = await open({ wakeWord: true });
    stage.script.dumb = new AppError('unavailable', 'no voice');
    await stage.say('ann', 'Dragoman, are you there?');
    await stage.pass(2_000);
    const [answer, line] = stage.place.texts(ROOM).slice(-2);
    expect(answer).toBe(`${asked('are you there?')}\nForty-two.`);
    expect(line).toMatch(sentenceLike('room.not-said'));
  });

  it('is not answered to who takes it back meanwhile', async () => {
    await using stage = await open({ wakeWord: true });
    const held = Promise.withResolvers<void>();
    stage.script.thinking = held.promise;
    await stage.say('ann', 'Dragoman, are you there?');
    await stage.press('captions out', 'ann');
    held.resolve();
    await stage.pass(2_000);
    expect(texts(stage)).not.toContain('are you there?');
    expect(texts(stage)).not.toMatch(sentenceLike('room.not-answered'));
    expect(stage.said()).toEqual([]);
  });

  it('gets no answer in a room that the bot left meanwhile', async () => {
    await using stage = await open({ wakeWord: true });
    const held = Promise.withResolvers<void>();
    stage.script.thinking = held.promise;
    await stage.say('ann', 'Dragoman, are you there?');
    await stage.room().leave();
    const before = stage.place.texts(ROOM).length;
    held.resolve();
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM)).toHaveLength(before);
  });
});
