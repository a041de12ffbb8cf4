import { describe, expect, it } from 'vitest';
import { sentenceLike } from '../../fakes/sentences.ts';
import {
  human,
  openCaptioned,
  openStage,
  ROOM,
  settle,
  SPACE,
  type Stage,
} from './room-harness.ts';

const isBack = sentenceLike('room.restarted');

/** Everybody leaves as far as this process knows: it does not see the space any more. */
const goBlind = (stage: Stage): void => stage.place.exit(ROOM, 'ann', 'bob');

describe('a room whose lease is lost', () => {
  it.each(['the lease', 'the link', 'the space'])(
    'keeps its row and is told nothing when %s ends first',
    async (first) => {
      await using stage = await openCaptioned();
      await stage.say('ann', 'hello');
      await stage.pass(2_000);
      const { length } = stage.place.history;
      const lost = stage.loseRoom();
      if (first === 'the link') stage.place.kick();
      if (first === 'the space') stage.core.rooms.spaceLost(SPACE);
      goBlind(stage);
      lost.tell();
      await stage.pass(10_000);
      expect(stage.rooms.of(SPACE)).toBeUndefined();
      expect(stage.place.where()).toBeUndefined();
      expect(stage.place.history.slice(length)).toEqual([]);
      expect((await stage.stored())?.room.captions).toBeDefined();
    },
  );

  it('shows nothing that was said before anybody knows of the loss', async () => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'before');
    await stage.pass(2_000);
    const { length } = stage.place.history;
    stage.loseRoom();
    await stage.say('ann', 'after');
    await stage.pass(5_000);
    expect(stage.place.history.slice(length)).toEqual([]);
  });

  it('shows nothing that waits for the platform when it is lost', async () => {
    await using stage = await openCaptioned();
    const { length } = stage.place.history;
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.place.faults.posting = promise;
    await stage.say('ann', 'before');
    await stage.pass(2_000);
    stage.loseRoom();
    resolve();
    await stage.pass(5_000);
    expect(stage.place.history.slice(length)).toEqual([]);
  });

  it('creates no thread for captions before anybody knows of the loss', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann', 'Ann'));
    await stage.join();
    stage.loseRoom();
    const started = stage.room().startCaptions({ languages: [], thread: 'Meeting' });
    await expect(started).rejects.toMatchObject({ code: 'cancelled' });
    expect(stage.place.threads).toEqual([]);
  });

  it('is gone on with by the next one in charge, with one line', async () => {
    await using stage = await openCaptioned();
    stage.loseRoom();
    stage.core.rooms.spaceLost(SPACE);
    goBlind(stage);
    await stage.pass(10_000);
    stage.place.enter(ROOM, human('ann', 'Ann'));
    expect(await stage.core.rooms.spaceReady(SPACE)).toBe(true);
    await settle();
    expect(stage.place.where()).toEqual(ROOM);
    expect(stage.place.texts(ROOM).filter((text) => isBack.test(text))).toHaveLength(1);
  });

  it('is come back to by the same process where that still has the space', async () => {
    await using stage = await openCaptioned();
    stage.loseRoom().tell();
    await stage.pass(10_000);
    await settle();
    expect(stage.place.joins).toEqual([ROOM.id, ROOM.id]);
    expect(stage.place.texts(ROOM).filter((text) => isBack.test(text))).toHaveLength(1);
  });
});
