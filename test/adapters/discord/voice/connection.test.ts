import { describe, expect, it } from 'vitest';
import { never, placeOf } from '../support.ts';
import { createTold, numbered, openVoice, soon, SPEECH, SPEED } from './connection-support.ts';
import { shared } from '../../../fakes/opened.ts';

const place = shared(() => openVoice());

describe('a voice channel', () => {
  it('is joined, heard and left', async () => {
    const { lounge, discord } = place;
    const ann = lounge.join(place.person('Ann'));
    const { link, told } = await place.enter();
    link.subscribe([ann.user.id]);
    await ann.speak(numbered(50), { speed: 10 });
    await soon(() => told.heard(ann.user.id).length).toBe(50);
    expect(told.heard(ann.user.id)).toEqual(numbered(50).map((_, at) => at));
    const { packets } = told;
    for (const [at, packet] of packets.slice(1).entries()) {
      expect(packet.sequence).toBe(packets[at]!.sequence + 1);
      expect(packet.timestampSamples).toBe(packets[at]!.timestampSamples + 960);
    }
    await soon(() => link.stats()).toEqual([
      { memberId: ann.user.id, received: 55, lost: 0, undecryptable: 0 },
    ]);
    await link[Symbol.asyncDispose]();
    await discord.until(() => discord.voice.connections.length === 0);
    expect(told.events.at(-1)).toBe('ended');
    ann.leave();
  });

  it('lets nobody be heard who is not to be', async () => {
    const { lounge } = place;
    const [ann, bob] = [lounge.join(place.person('Ann')), lounge.join(place.person('Bob'))];
    const { link, told } = await place.enter();
    link.subscribe([bob.user.id]);
    await Promise.all([ann.speak(SPEECH, { speed: 10 }), bob.speak(numbered(20), { speed: 10 })]);
    await soon(() => told.heard(bob.user.id).length).toBe(20);
    link.subscribe([ann.user.id]);
    await bob.speak(numbered(20, 100), { speed: 10 });
    // What she says comes after what he said.
    await ann.speak(numbered(1, 900), { speed: 10 });
    await soon(() => told.heard(ann.user.id)).toContain(900);
    link.subscribe([bob.user.id]);
    await bob.speak(numbered(5, 200), { speed: 10 });
    await soon(() => told.heard(bob.user.id).length).toBe(25);
    expect(told.heard(ann.user.id).filter((each) => each !== 900)).toEqual([]);
    expect(told.heard(bob.user.id).filter((each) => each >= 100 && each < 200)).toEqual([]);
    const lost = link.stats().map((each) => [each.memberId, each.lost] as const);
    expect(new Map(lost).get(bob.user.id)).toBe(0);
    await link[Symbol.asyncDispose]();
    ann.leave();
    bob.leave();
  });

  it('counts what was lost, and takes what comes in another order', async () => {
    const { lounge } = place;
    const ann = lounge.join(place.person('Ann'));
    const { link, told } = await place.enter();
    link.subscribe([ann.user.id]);
    const options = {
      speed: 10,
      lossPercent: 10,
      reorderPercent: 10,
      duplicatePercent: 5,
      paddingBytes: 9,
    };
    const { sent, lost } = await ann.speak(numbered(200), options);
    await soon(() => new Set(told.heard(ann.user.id)).size).toBeGreaterThanOrEqual(sent - lost - 6);
    const [stats] = link.stats();
    expect(lost).toBeGreaterThan(0);
    expect(Math.abs(stats!.lost - lost)).toBeLessThanOrEqual(12);
    await link[Symbol.asyncDispose]();
    ann.leave();
  });

  it('hears what we say, at its pace and whole', async () => {
    const { lounge } = place;
    const { link } = await place.enter();
    const from = lounge.recorded.packets.length;
    const packets = numbered(40);
    const beganMs = performance.now();
    await link.play(
      (async function* speech() {
        yield* packets;
      })(),
      never(),
    );
    const played = await lounge.recorded.until((all) => all.length >= from + 45);
    const mine = played.slice(from);
    expect(mine.slice(0, 40).map(({ opus }) => Buffer.from(opus).toString('hex'))).toEqual(
      packets.map((packet) => packet.toString('hex')),
    );
    // Counted from the call: on a busy machine the first packet may arrive late.
    expect((mine[39]!.atMs - beganMs) * SPEED).toBeGreaterThan(39 * 20 - 60);
    await link[Symbol.asyncDispose]();
  });

  it('tells who is there, and when that changes', async () => {
    const { lounge, port, room, core, guild, discord } = place;
    const user = place.person('Ann');
    await soon(() => port.roomOf(room.space, discord.botUser.id)).toBeUndefined();
    core.roomsChanged.length = 0;
    const ann = lounge.join(user);
    await soon(() => port.present(room)).toEqual([{ id: user.id, name: 'Ann', isBot: false }]);
    expect(port.roomOf(room.space, user.id)).toEqual(room);
    expect(core.roomsChanged).toEqual([room]);
    const attic = guild.channel({ type: 'voice', name: 'attic' });
    ann.move(attic);
    await soon(() => port.roomOf(room.space, user.id)?.id).toBe(attic.id);
    expect(port.present(room)).toEqual([]);
    expect(
      core.roomsChanged
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([room.id, attic.id].toSorted());
    ann.leave();
    await soon(() => port.roomOf(room.space, user.id)).toBeUndefined();
  });

  it('is not joined where it is none, or where we may not', async () => {
    const { guild, port } = place;
    const text = guild.channel({ name: 'general' });
    const told = createTold();
    await expect(port.join(placeOf(guild, text), told, never())).rejects.toMatchObject({
      code: 'unsupported',
      sentence: { key: 'room.no-voice-here' },
    });
    const closed = guild.channel({ type: 'voice', name: 'closed' });
    closed.deny('Connect', 'Speak');
    await soon(() => port.missing(placeOf(guild, closed))).toEqual(['Connect', 'Speak']);
    await expect(port.join(placeOf(guild, closed), told, never())).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { key: 'room.missing', params: { permissions: { list: ['Connect', 'Speak'] } } },
    });
    expect(told.events).toEqual([]);
  });

  it('is not joined where there is no place left', async () => {
    const { guild, port } = place;
    const closet = guild.channel({ type: 'voice', name: 'closet', userLimit: 1 });
    const ann = closet.join(place.person('Ann'));
    await soon(() => port.present(placeOf(guild, closet)).length).toBe(1);
    await expect(port.join(placeOf(guild, closet), createTold(), never())).rejects.toMatchObject({
      sentence: { key: 'room.full' },
    });
    ann.leave();
    await soon(() => port.present(placeOf(guild, closet))).toEqual([]);
    // Who is there already takes no place of anybody's.
    const { link } = await place.enter(createTold(), closet);
    await soon(() => port.roomOf(placeOf(guild, closet).space, place.discord.botUser.id)?.id).toBe(
      closet.id,
    );
    const again = await port.join(placeOf(guild, closet), createTold(), never());
    await link[Symbol.asyncDispose]();
    await again[Symbol.asyncDispose]();
  });

  it('ends when somebody throws us out, and when it is deleted', async () => {
    const { lounge, discord, guild } = place;
    const { told } = await place.enter();
    lounge.disconnect(discord.botUser);
    await soon(() => told.events.at(-1)).toBe('ended');
    expect(told.error).toBeUndefined();
    const cellar = guild.channel({ type: 'voice', name: 'cellar' });
    const other = await place.enter(createTold(), cellar);
    cellar.delete();
    await soon(() => other.told.events.at(-1)).toBe('ended');
  });

  it('is followed when somebody moves us', async () => {
    const { discord, guild } = place;
    const { link, told } = await place.enter();
    const attic = guild.channel({ type: 'voice', name: 'attic' });
    attic.pull(discord.botUser);
    await soon(() => told.events).toContain(`moved ${attic.id}`);
    await soon(() => told.events.at(-1)).toBe('connected');
    expect(link.channel.id).toBe(attic.id);
    const ann = attic.join(place.person('Ann'));
    link.subscribe([ann.user.id]);
    await ann.speak(numbered(10), { speed: 5 });
    await soon(() => told.heard(ann.user.id).length).toBe(10);
    await link[Symbol.asyncDispose]();
    ann.leave();
  });
});
