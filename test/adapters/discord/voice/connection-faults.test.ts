import { describe, expect, it } from 'vitest';
import { never } from '../support.ts';
import {
  createTold,
  hearAnn,
  numbered,
  openVoice,
  soon,
  type Told,
  type VoicePlace,
} from './connection-support.ts';
import { shared } from '../../../fakes/opened.ts';

const place = shared(() => openVoice());

/** Somebody who is heard. */
const enter = async (told: Told = createTold()) => {
  const room = await hearAnn(place, { told });
  await room.hears(0);
  return room;
};

describe('a voice channel whose connection fails', () => {
  it('is resumed when the socket drops', async () => {
    await using room = await enter();
    const { resumes } = place.discord.voice;
    place.discord.voice.drop();
    await soon(() => place.discord.voice.resumes).toBe(resumes + 1);
    await soon(() => room.told.events.at(-1)).toBe('connected');
    await room.hears(100);
  });

  it.each([4006, 4009, 4015])('is joined anew after close code %i', async (code) => {
    await using room = await enter();
    place.discord.voice.close(code);
    await soon(() => room.told.events.filter((each) => each === 'connected').length).toBe(2);
    await room.hears(100);
  });

  it('is joined anew on another voice server', async () => {
    await using room = await enter();
    await place.discord.voice.moveRegion(place.lounge);
    await soon(() => room.told.events.filter((each) => each === 'connected').length).toBe(2);
    await room.hears(100);
  });

  it('is not asked for over and over while it is refused', async () => {
    await using room = await enter();
    const { voice } = place.discord;
    const before = voice.refusals;
    voice.refuse(true);
    voice.close(4006);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(voice.refusals - before).toBeLessThanOrEqual(3);
    voice.refuse(false);
    await soon(() => room.told.events.at(-1)).toBe('connected');
    await room.hears(100);
  });

  it.each<readonly [string, (voice: VoicePlace['discord']['voice']) => unknown]>([
    ['its session is over', (voice) => voice.close(4009)],
    ['its socket is lost', (voice) => voice.drop()],
    ['it is on another voice server', (voice) => voice.moveRegion(place.lounge)],
  ])('goes on with what it said when it is back after %s', async (_, fail) => {
    await using room = await enter();
    const { recorded } = place.lounge;
    const from = recorded.packets.length;
    const packets = numbered(30, 500);
    const played = room.link.play(
      (async function* speech() {
        yield* packets;
      })(),
      never(),
    );
    await recorded.until((all) => all.length >= from + 5);
    await fail(place.discord.voice);
    await played;
    const all = await recorded.until((each) => each.length >= from + 30);
    const numbers = all
      .slice(from)
      .filter(({ opus }) => opus.length === 4)
      .map(({ opus }) => (opus[1]! << 8) + opus[2]!);
    expect(numbers).toEqual([...new Set(numbers)]);
    // What was on its way when the connection broke is lost, and nothing else.
    expect(numbers.length).toBeGreaterThanOrEqual(27);
    expect(numbers.at(-1)).toBe(529);
  });
});

describe('somebody whose number is not known', () => {
  it('is heard all the same when nobody else can be meant', async () => {
    place.discord.voice.tellSpeakers(false);
    const user = place.person('Bob');
    const bob = place.lounge.join(user, { announce: false });
    const { link, told } = await place.enter();
    link.subscribe([user.id]);
    await bob.speak(numbered(80), { speed: 5 });
    await soon(() => told.heard(user.id).at(-1)).toBe(79);
    expect(told.heard(user.id).length).toBeGreaterThanOrEqual(20);
    await link[Symbol.asyncDispose]();
    place.discord.voice.tellSpeakers(true);
    bob.leave();
  });

  it('is told of, and asked for by a new connection, where two can be meant', async () => {
    const { voice } = place.discord;
    voice.tellSpeakers(false);
    const people = ['Ann', 'Bob'].map((name) =>
      place.lounge.join(place.person(name), { announce: false }),
    );
    const { link, told } = await place.enter();
    const { identifies } = voice;
    const ids = people.map(({ user }) => user.id);
    link.subscribe(ids);
    await people[0]!.speak(numbered(200), { speed: 5, trailing: 0 });
    await soon(() => told.events).toContain('cannot hear somebody');
    await soon(() => voice.identifies).toBeGreaterThan(identifies);
    await soon(() => told.events.slice(-2)).toContain('connected');
    expect(told.packets).toEqual([]);
    people[0]!.changeSsrc();
    await people[0]!.speak(numbered(5, 300), { speed: 5 });
    await soon(() => told.heard(ids[0]!)).toContain(304);
    await soon(async () => {
      await people[0]!.speak(numbered(5, 400), { speed: 5 });
      return told.events.at(-1);
    }).toBe('hears somebody');
    // Nobody is said to be inaudible who was silent all the while.
    expect(told.events.join()).not.toContain(ids[1]);
    await link[Symbol.asyncDispose]();
    voice.tellSpeakers(true);
    for (const person of people) person.leave();
  });

  it('is heard although others come and go elsewhere', async () => {
    place.discord.voice.tellSpeakers(false);
    const user = place.person('Bob');
    const bob = place.lounge.join(user, { announce: false });
    const others = ['attic', 'cellar'].map((name) => place.guild.channel({ type: 'voice', name }));
    const cid = others[0]!.join(place.person('Cid'));
    const { link, told } = await place.enter();
    link.subscribe([user.id]);
    for (let at = 0; at < 8; at += 1) {
      const to = others[(at + 1) % 2]!;
      cid.move(to);
      await soon(() => place.port.roomOf(place.room.space, cid.user.id)?.id).toBe(to.id);
      await bob.speak(numbered(10, at * 10), { speed: 5, trailing: 0 });
    }
    await soon(() => told.heard(user.id).at(-1)).toBe(79);
    await link[Symbol.asyncDispose]();
    place.discord.voice.tellSpeakers(true);
    for (const person of [bob, cid]) person.leave();
  });

  it('is heard after their number changed, and with the camera on', async () => {
    await using room = await enter();
    room.ann.camera(true);
    await room.hears(100);
    room.ann.changeSsrc();
    await room.hears(200);
    room.ann.camera(false);
    await room.hears(300);
  });

  it('is not taken for somebody who agreed', async () => {
    const [ann, bob] = [place.person('Ann'), place.person('Bob')];
    const people = [ann, bob].map((user) => place.lounge.join(user, { announce: false }));
    const { link, told } = await place.enter();
    link.subscribe([ann.id]);
    await people[1]!.speak(numbered(20), { speed: 5 });
    await people[1]!.speak(numbered(20), { speed: 5 });
    expect(told.packets).toEqual([]);
    await link[Symbol.asyncDispose]();
    for (const person of people) person.leave();
  });
});

describe('packets that are none', () => {
  it('are passed over, and told of when nothing else comes of somebody', async () => {
    await using room = await enter();
    const { id } = room.ann.user;
    const before = room.link.stats().find(({ memberId }) => memberId === id)!;
    await room.ann.speak(numbered(30, 100), { speed: 5, spoil: 'transport' });
    await room.hears(200);
    const after = room.link.stats().find(({ memberId }) => memberId === id)!;
    expect(after.undecryptable).toBe(before.undecryptable);
    expect(room.told.heard(id).filter((each) => each >= 100 && each < 200)).toEqual([]);
    // No frame in it, where there must be one.
    await room.ann.speak(numbered(5), { speed: 5, spoil: 'opus', trailing: 0 });
    await soon(() => room.link.stats().find(({ memberId }) => memberId === id)!.undecryptable).toBe(
      before.undecryptable + 5,
    );
    expect(room.told.packets.filter(({ data }) => data.length === 2)).toEqual([]);
  });
});
