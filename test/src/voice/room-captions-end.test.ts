import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import {
  away,
  CHAT,
  gone,
  human,
  openCaptioned,
  openStage,
  OTHER,
  ROOM,
  settle,
  SPACE,
  type Stage,
} from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const ends = (stage: Stage, of = ROOM): readonly string[] =>
  stage.place.texts(of).filter((text) => sentenceLike('room.captions-ended').test(text));

describe('captions of a room', () => {
  it('show speech and its translation, and end with a message', async () => {
    await using stage = await openCaptioned({ languages: ['es'] });
    await stage.say('ann', 'hello there');
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe('**Ann**: hello there\n↳ 🇪🇸 es:hello there');
    expect(await stage.room().stopCaptions()).toBe(true);
    expect(ends(stage)).toHaveLength(1);
    expect(await stage.room().stopCaptions()).toBe(false);
    await stage.say('ann', 'nobody listens');
    expect(stage.sent).toHaveLength(1);
  });

  it('end with a message also where that waits longer than the bot stays', async () => {
    await using stage = await openCaptioned();
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.place.faults.posting = promise;
    const leaving = stage.room().leave();
    await stage.pass(10_000);
    await leaving;
    expect(stage.place.where()).toBeUndefined();
    resolve();
    await settle();
    expect(ends(stage)).toHaveLength(1);
  });

  it('write down what was being said when they were ended', async () => {
    await using stage = await openCaptioned();
    await stage.place.speak('ann', 'almost done');
    await stage.room().stopCaptions();
    expect(stage.place.texts(ROOM).join('\n')).toContain('almost done');
  });

  it('end in bounded time while everybody goes on talking and the service is slow', async () => {
    await using stage = await openCaptioned();
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('ann', 'first words');
    let hasEnded = false;
    void stage
      .room()
      .stopCaptions()
      .then(() => (hasEnded = true));
    for (let second = 0; second < 9; second += 1) await stage.place.speak('bob', `and ${second}`);
    await settle();
    expect(hasEnded).toBe(true);
  });

  it('end once when two people end them at the same moment', async () => {
    await using stage = await openCaptioned();
    const room = stage.room();
    const both = await Promise.all([room.stopCaptions(), room.stopCaptions()]);
    expect(both).toEqual([true, false]);
    expect(ends(stage)).toHaveLength(1);
  });

  it('end when the place where they are shown is gone, and the room is informed, with the transcript', async () => {
    await using stage = await openCaptioned({ in: CHAT, transcript: 'txt' });
    stage.place.faults.post = ({ id }) => (id === 'chat' ? gone() : undefined);
    await stage.say('ann', 'hello');
    await stage.pass(1_000);
    expect(stage.room().captions).toBeUndefined();
    expect(stage.place.subscribed()).toEqual([]);
    expect(ends(stage)).toHaveLength(1);
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('hello');
  });

  it('post the transcript when they end, if somebody wished it and anything was said', async () => {
    await using stage = await openCaptioned({ transcript: 'txt' });
    await stage.room().stopCaptions();
    expect(stage.place.contents(ROOM).at(-1)?.files).toEqual([]);
    await stage.room().startCaptions({ languages: [], transcript: 'txt' });
    await stage.say('ann', 'for the record');
    await stage.room().leave();
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('for the record');
  });

  it('report their end even where the transcript is refused, and why', async () => {
    await using stage = await openCaptioned({ transcript: 'txt' });
    await stage.say('ann', 'for the record');
    stage.place.faults.post = (_, { files }) =>
      files?.length ? new AppError('too-large', 'too large') : undefined;
    await stage.room().stopCaptions();
    expect(ends(stage)).toHaveLength(1);
    const reason = sentence('reasons.too-large');
    expect(stage.place.texts(ROOM).at(-1)).toContain(
      sentence('room.transcript-refused', { reason }),
    );
  });

  it('are available for half an hour after the bot left, also when it was elsewhere since', async () => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'remember this');
    await stage.room().leave();
    stage.place.enter(OTHER, human('cid'));
    await (await stage.join(OTHER)).leave();
    const left = stage.rooms.lastRecord(SPACE);
    expect([...left!.people].toSorted()).toEqual(['ann', 'bob']);
    const file = await left!.transcript('txt');
    expect(Buffer.from(file!.bytes).toString()).toContain('remember this');
    await stage.pass(30 * 60_000);
    expect(stage.rooms.lastRecord(SPACE)).toBeUndefined();
  });

  it('are kept once, by one timer, however often the bot leaves', async () => {
    await using stage = await openCaptioned();
    for (const word of ['one', 'two', 'three']) {
      await stage.say('ann', word);
      stage.place.exit(ROOM, 'ann', 'bob');
      await stage.room().leave();
      await settle();
      expect(stage.clock.waiting).toBe(1);
      stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
      await (await stage.join()).startCaptions({ languages: [] });
      await settle();
    }
    await stage.end();
    expect(stage.clock.waiting).toBe(0);
  });

  it.each([
    ['somebody throws us out', (stage: Stage) => stage.place.kick()],
    ['the connection is lost', (stage: Stage) => stage.place.lose(away())],
  ])('end with everything of the room when %s', async (_, end) => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'hello');
    end(stage);
    await stage.pass(20_000);
    expect(ends(stage)).toHaveLength(1);
    expect(stage.rooms.of(SPACE)).toBeUndefined();
    await stage.pass(31 * 60_000);
    expect(stage.clock.waiting).toBe(0);
  });

  it('end with the room although nothing can be posted any more', async () => {
    await using stage = await openCaptioned({ transcript: 'json' });
    await stage.say('ann', 'hello');
    stage.place.faults.post = gone;
    stage.place.kick();
    await stage.pass(20_000);
    expect(stage.rooms.of(SPACE)).toBeUndefined();
  });

  it('end with the program, in bounded time and with their transcript', async () => {
    await using stage = await openCaptioned({ transcript: 'txt' });
    await stage.say('ann', 'the last words');
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('bob', 'never understood');
    const ending = stage.end();
    await stage.pass(3_000);
    await ending;
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('the last words');
    expect(stage.place.texts(ROOM).at(-1)).toContain(sentence('room.stopping'));
    expect(stage.place.where()).toBeUndefined();
    expect(stage.clock.waiting).toBe(0);
  });

  it('end with the program within six seconds although nothing is answered any more', async () => {
    await using stage = await openCaptioned({ languages: ['es'], transcript: 'txt' });
    await stage.say('ann', 'the last words');
    stage.place.faults.posting = new Promise(() => undefined);
    await stage.say('ann', 'never shown');
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('bob', 'never understood');
    let hasEnded = false;
    void stage.end().then(() => (hasEnded = true));
    await stage.pass(6_000);
    expect(hasEnded).toBe(true);
  });

  it('do not keep the program from ending while they begin, and leave no heading then', async () => {
    await using stage = await openStage({ spokenNotice: false });
    stage.place.enter(ROOM, human('ann'));
    const room = await stage.join();
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    const failed = expect(room.startCaptions({ languages: [], in: CHAT })).rejects.toMatchObject({
      name: 'AppError',
    });
    await settle();
    let hasEnded = false;
    void stage.end().then(() => (hasEnded = true));
    await stage.pass(6_000);
    expect(hasEnded).toBe(true);
    held.resolve();
    await failed;
    await settle();
    expect(stage.place.texts(CHAT)).toEqual([]);
  });
});
