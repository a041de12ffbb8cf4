import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { human, openStage, OTHER, robot, ROOM, settle, SPACE, type Stage } from './room-harness.ts';
import { casesOf } from '../../fakes/cases.ts';
import { sentence } from '../../fakes/sentences.ts';

const QUIET = { spokenNotice: false, partials: false } as const;
const full = (): AppError => new AppError('unavailable', 'full', { retryable: true });

const open = async (...joins: string[]): Promise<Stage> => openStage({ ...QUIET, joins });

/** Opens a stage whose room Ann has come into. */
const openWithAnn = async (...joins: string[]): Promise<Stage> => {
  const stage = await open(...joins);
  stage.place.enter(ROOM, human('ann'));
  await stage.pass(2_000);
  return stage;
};

describe('joining by itself', () => {
  it('begins with captions when the first human comes, and ends a while after the last one left', async () => {
    await using stage = await open('room');
    const { place } = stage;
    place.enter(ROOM, robot('bot'));
    await stage.pass(1_000);
    expect(place.where()).toBeUndefined();
    place.enter(ROOM, human('ann', 'Ann'));
    await stage.pass(2_000);
    expect(stage.room().captions).toBeDefined();
    await stage.say('ann', 'hello');
    expect(place.texts(ROOM).at(-1)).toContain('hello');
    place.exit(ROOM, 'ann');
    await stage.pass(10_000);
    place.enter(ROOM, human('ann', 'Ann'));
    await stage.pass(20_000);
    expect(place.where()).toEqual(ROOM);
    place.exit(ROOM, 'ann');
    await stage.pass(16_000);
    expect(place.where()).toBeUndefined();
    expect(place.texts(ROOM).at(-1)).toBe(sentence('room.left'));
    expect(stage.rooms.of(SPACE)).toBeUndefined();
  });

  it('leaves other rooms alone', async () => {
    await using stage = await open('room');
    stage.place.enter(OTHER, human('ann'));
    await stage.pass(2_000);
    expect(stage.place.joins).toEqual([]);
  });

  it('begins at once when moderators choose a room with people, and ends when they choose it no more', async () => {
    await using stage = await openWithAnn();
    const { place } = stage;
    expect(place.joins).toEqual([]);
    await stage.choose({ joins: ['room'] });
    await stage.pass(2_000);
    expect(stage.room().captions).toBeDefined();
    await stage.choose({ joins: [] });
    await stage.pass(2_000);
    expect(place.where()).toBeUndefined();
    await stage.choose({ joins: ['room'] });
    await stage.pass(2_000);
    expect(place.where()).toEqual(ROOM);
  });

  it('stays where somebody called it, whatever moderators choose', async () => {
    await using stage = await open('other');
    stage.place.enter(ROOM, human('ann'));
    await stage.join();
    await stage.choose({ joins: [] });
    await stage.pass(2_000);
    expect(stage.place.where()).toEqual(ROOM);
  });

  it('stays where somebody called it while it was there', async () => {
    await using stage = await openWithAnn('room');
    const { place } = stage;
    await stage.join(ROOM);
    await stage.choose({ joins: [] });
    expect(place.where()).toEqual(ROOM);
  });

  it('stays where somebody moved it from where it went by itself', async () => {
    await using stage = await openWithAnn('room');
    const { place } = stage;
    place.enter(OTHER, human('bob'));
    place.move(OTHER);
    await stage.choose({ joins: [] });
    await stage.pass(2_000);
    expect(place.where()).toEqual(OTHER);
  });

  it.each([
    ['threw it out', async ({ place }: Stage) => place.kick()],
    ['sent it away', async (stage: Stage) => void (await stage.run('leave', 'ann'))],
  ])('does not come back to people who %s, until they were gone', async (_, sendAway) => {
    await using stage = await openWithAnn('room');
    const { place } = stage;
    await sendAway(stage);
    await stage.pass(120_000);
    place.enter(ROOM, human('bob'));
    await stage.pass(120_000);
    expect(place.joins).toHaveLength(1);
    place.exit(ROOM, 'ann', 'bob');
    place.enter(ROOM, human('bob'));
    await stage.pass(2_000);
    expect(place.joins).toHaveLength(2);
  });

  it('comes back after the connection was lost for good', async () => {
    await using stage = await openWithAnn('room');
    stage.place.lose(full());
    await stage.pass(30_000);
    expect(stage.place.joins).toHaveLength(1);
    await stage.pass(60_000);
    expect(stage.place.where()).toEqual(ROOM);
    expect(stage.room().captions).toBeDefined();
  });

  it('tries again by itself where it could not join, and not at each coming', async () => {
    await using stage = await open('room');
    const { place } = stage;
    place.faults.join = full();
    place.enter(ROOM, human('ann'));
    await stage.pass(2_000);
    place.enter(ROOM, human('bob'));
    await stage.pass(2_000);
    expect(place.joins).toHaveLength(1);
    place.faults.join = undefined;
    await stage.pass(60_000);
    expect(place.where()).toEqual(ROOM);
  });

  it('tries again at once when moderators choose anew', async () => {
    await using stage = await open('room');
    const { place } = stage;
    place.faults.join = new AppError('forbidden', 'not allowed');
    place.enter(ROOM, human('ann'));
    await stage.pass(2_000);
    place.faults.join = undefined;
    await stage.choose({ joins: [] });
    await stage.choose({ joins: ['room'] });
    await stage.pass(2_000);
    expect(place.where()).toEqual(ROOM);
    await stage.pass(20 * 60_000);
    expect(place.joins).toHaveLength(2);
  });

  it('does not stay where captions cannot begin', async () => {
    await using stage = await open('room');
    const { place } = stage;
    place.faults.post = () => new AppError('forbidden', 'no posts');
    place.enter(ROOM, human('ann'));
    await stage.pass(5_000);
    expect(place.where()).toBeUndefined();
    expect(place.handedOver.size).toBe(0);
  });

  it('does not go to and fro between rooms where captions cannot begin', async () => {
    await using stage = await open('room', 'other');
    const { place } = stage;
    place.faults.post = () => new AppError('forbidden', 'no posts');
    place.enter(ROOM, human('ann'));
    place.enter(OTHER, human('bob'));
    await stage.pass(60_000);
    expect(place.joins.toSorted()).toEqual(['other', 'room']);
  });

  it('goes on to the next room with people', async () => {
    await using stage = await openWithAnn('room', 'other');
    const { place } = stage;
    place.enter(OTHER, human('bob'));
    await stage.pass(2_000);
    expect(place.where()).toEqual(ROOM);
    place.exit(ROOM, 'ann');
    await stage.pass(20_000);
    expect(place.where()).toEqual(OTHER);
  });

  it('never takes it away from where somebody called it', async () => {
    await using stage = await openWithAnn('room');
    const { place } = stage;
    place.enter(OTHER, human('bob'));
    await stage.join(OTHER);
    place.enter(ROOM, human('cid'));
    await stage.pass(2_000);
    expect(place.where()).toEqual(OTHER);
  });

  it('never takes it away from where somebody is calling it', async () => {
    await using stage = await open('room');
    const { place } = stage;
    const held = Promise.withResolvers<void>();
    place.faults.joining = held.promise;
    place.enter(OTHER, human('bob'));
    const calling = stage.join(OTHER);
    place.enter(ROOM, human('ann'));
    await stage.pass(1_000);
    held.resolve();
    await calling;
    await stage.pass(2_000);
    expect(place.where()).toEqual(OTHER);
    expect(stage.room().captions).toBeUndefined();
  });

  it('leaves captions alone that somebody began at the same time', async () => {
    await using stage = await open();
    const { place } = stage;
    const held = Promise.withResolvers<void>();
    place.faults.joining = held.promise;
    place.enter(ROOM, human('ann'));
    const starting = stage.run('captions start', 'ann', { languages: 'es' });
    await stage.choose({ joins: ['room'] });
    held.resolve();
    expect(await starting).toContain(
      sentence('captions.started', { room: '#room', channel: '#room' }),
    );
    await stage.pass(2_000);
    expect(stage.room().captions?.languages).toEqual(['es']);
    expect(place.joins).toHaveLength(1);
  });

  it('does not begin captions again that somebody ended', async () => {
    await using stage = await openWithAnn('room');
    await stage.run('captions stop', 'ann');
    stage.place.enter(ROOM, human('bob'));
    await stage.pass(2_000);
    expect(stage.room().captions).toBeUndefined();
  });

  it('is over when the program ends, whatever it was about to do', async () => {
    await using stage = await open('room', 'other');
    const { place, clock } = stage;
    place.faults.join = full();
    place.enter(ROOM, human('ann'));
    await stage.pass(2_000);
    const held = Promise.withResolvers<void>();
    place.faults.joining = held.promise;
    place.enter(OTHER, human('bob'));
    await settle();
    expect(place.joins).toEqual(['room', 'other']);
    await stage.end();
    held.resolve();
    await settle();
    expect(clock.waiting).toBe(0);
    place.exit(OTHER, 'bob');
    place.enter(OTHER, human('bob'));
    await stage.pass(120_000);
    expect(place.joins).toHaveLength(2);
  });

  it('joins no quiet channel, and none on a day whose sound is used up', async () => {
    await using stage = await open('room');
    await stage.core.services.spaces.change(SPACE, { quietChannels: ['room'] });
    stage.place.enter(ROOM, human('ann'));
    await stage.pass(120_000);
    await stage.core.services.spaces.change(SPACE, { quietChannels: [], dailyAudioMinutes: 0 });
    stage.place.enter(ROOM, human('bob'));
    await stage.pass(120_000);
    expect(stage.place.joins).toEqual([]);
  });

  it('leaves nothing behind after many comings and goings', async () => {
    await using stage = await open('room');
    const { place, clock } = stage;
    const times = casesOf(200);
    for (let time = 0; time < times; time += 1) {
      place.enter(ROOM, human(`p${time}`));
      await clock.advance(2_000);
      place.exit(ROOM, `p${time}`);
      await clock.advance(16_000);
    }
    expect(place.joins.length).toBeGreaterThan(0.9 * times);
    await stage.pass(31 * 60_000);
    expect(clock.waiting).toBe(0);
    expect(stage.rooms.lastRecord(SPACE)).toBeUndefined();
  });
});
