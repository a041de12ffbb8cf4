import { describe, expect, it } from 'vitest';
import { voiceConnectionTo } from '../../../fakes/voice-connection.ts';
import type { DAVESession } from '@snazzah/davey';
import { never } from '../support.ts';
import { createTold, numbered, openVoice, soon } from './connection-support.ts';
import { shared } from '../../../fakes/opened.ts';

const place = shared(() => openVoice({ dave: true, strangers: ['Mute'] }));

/** Somebody in an encrypted channel of their own, who is heard. */
const enter = async (...names: readonly string[]) => {
  const lounge = place.guild.channel({ type: 'voice', name: 'vault' });
  const [first = 'Ann', ...others] = names;
  const ann = lounge.join(place.person(first));
  const more = others.map((name) => lounge.join(place.person(name)));
  const told = createTold();
  const { link } = await place.enter(told, lounge);
  const group = place.group(lounge);
  link.subscribe([ann, ...more].map(({ user }) => user.id));
  await group.whenSettled();
  const heard = (from: number, person = ann): number[] =>
    told.heard(person.user.id).filter((each) => each >= from && each < from + 20);
  return {
    lounge,
    ann,
    more,
    told,
    link,
    group,
    heard,
    /** Says twenty packets until all of them are heard: the first ones after a change may be lost. */
    hears: async (from: number, person = ann) => {
      await expect
        .poll(
          async () => {
            await person.speak(numbered(20, from), { speed: 5 });
            return heard(from, person).length;
          },
          { interval: 50 },
        )
        .toBeGreaterThanOrEqual(20);
    },
    [Symbol.asyncDispose]: async () => {
      await link[Symbol.asyncDispose]();
      for (const person of [ann, ...more]) person.leave();
    },
  };
};

/** The library's part in the encryption. */
const sessionOf = (guildId: string): DAVESession =>
  (
    voiceConnectionTo(guildId)!.state as unknown as {
      networking: { state: { dave: { session: DAVESession } } };
    }
  ).networking.state.dave.session;

describe('an encrypted voice channel', () => {
  it('is heard, and hears us', async () => {
    await using room = await enter('Ann', 'Bob');
    await room.hears(100);
    await room.hears(200, room.more[0]);
    await room.link.play(
      (async function* speech() {
        yield* numbered(5, 900);
      })(),
      never(),
    );
    const played = await room.lounge.recorded.until((all) => all.length >= 5);
    expect(played.slice(0, 5).map(({ opus }) => [...opus])).toEqual(
      numbered(5, 900).map((packet) => [...packet]),
    );
    expect(place.discord.voice.refused['dave'] ?? 0).toBe(0);
  });

  it('is heard while people come and go', async () => {
    await using room = await enter('Ann');
    const bob = room.lounge.join(place.person('Bob'));
    await room.group.whenSettled();
    await room.hears(100);
    bob.leave();
    await room.group.whenSettled();
    await room.hears(200);
    const cid = room.lounge.join(place.person('Cid'));
    await room.group.whenSettled();
    room.link.subscribe([room.ann.user.id, cid.user.id]);
    await room.hears(300, cid);
    cid.leave();
  });

  it.each([0, 1] as const)('is heard after a change with transition %i', async (id) => {
    await using room = await enter('Ann');
    room.group.useTransitionZero(id === 0);
    const bob = room.lounge.join(place.person('Bob'));
    await room.group.whenSettled();
    await room.hears(100);
    bob.leave();
    await room.group.whenSettled();
    await room.hears(200);
  });

  it.each([0, 1] as const)('has its keys made anew after transition %i', async (id) => {
    await using room = await enter('Ann');
    room.group.useTransitionZero(id === 0);
    const bob = room.lounge.join(place.person('Bob'));
    await room.group.whenSettled();
    await room.hears(100);
    const { identifies } = place.discord.voice;
    const session = sessionOf(place.guild.id);
    // It has lost them, and knows nothing of it.
    Object.assign(session, {
      decrypt: () => {
        throw new Error('no valid key');
      },
      reinit: (...given: Parameters<DAVESession['reinit']>) => {
        for (const name of ['decrypt', 'reinit']) Reflect.deleteProperty(session, name);
        session.reinit(...given);
      },
    });
    await room.hears(200);
    // At no cost but a change of the group.
    expect(place.discord.voice.identifies).toBe(identifies);
    bob.leave();
  });

  it('takes nothing for sound that it has no keys for yet', async () => {
    const lounge = place.guild.channel({ type: 'voice', name: 'vault' });
    const [ann, bob] = ['Ann', 'Bob'].map((name) => lounge.join(place.person(name)));
    const group = place.group(lounge);
    await group.whenSettled();
    group.onlyCommitsOf('nobody');
    const { link, told } = await place.enter(createTold(), lounge);
    link.subscribe([ann!.user.id]);
    await ann!.speak(numbered(40, 100), { speed: 5, trailing: 0 });
    expect(told.packets).toEqual([]);
    group.onlyCommitsOf();
    await group.whenSettled();
    await expect
      .poll(
        async () => {
          await ann!.speak(numbered(5, 200), { speed: 5 });
          return told.heard(ann!.user.id).length;
        },
        { interval: 20 },
      )
      .toBeGreaterThan(0);
    await link[Symbol.asyncDispose]();
    for (const person of [ann, bob]) person!.leave();
  });

  it('is heard after it was made anew, and after it was not encrypted for a while', async () => {
    await using room = await enter('Ann');
    room.group.recreate();
    await room.group.whenSettled();
    await room.hears(100);
    room.group.encrypt(false);
    await room.group.whenSettled();
    await room.hears(200);
    room.group.encrypt(true);
    await room.group.whenSettled();
    await room.hears(300);
  });

  it('is told nothing unencrypted while its group is made anew, and nothing is left out', async () => {
    await using room = await enter('Ann');
    const from = room.lounge.recorded.packets.length;
    room.group.recreate();
    const release = room.group.holdExecute();
    const packets = numbered(20, 900);
    const played = room.link.play(
      (async function* speech() {
        yield* packets;
      })(),
      never(),
    );
    release();
    await played;
    const all = await room.lounge.recorded.until((each) => each.length >= from + 20);
    expect(all.slice(from, from + 20).map(({ opus }) => [...opus])).toEqual(
      packets.map((packet) => [...packet]),
    );
    expect(place.discord.voice.refused['dave'] ?? 0).toBe(0);
  });

  it('is opened layer by layer, whatever stands around the sound, and after bad packets', async () => {
    await using room = await enter('Ann');
    await room.hears(100);
    for (const extension of [true, false])
      await room.ann.speak(numbered(5, 200), { speed: 5, paddingBytes: 33, extension });
    await soon(() => room.heard(200).length).toBe(10);
    await room.ann.speak(numbered(5, 300), { speed: 5, spoil: 'dave' });
    await room.hears(400);
    expect(room.heard(300)).toEqual([]);
    expect(room.link.stats()[0]!.undecryptable).toBeGreaterThanOrEqual(5);
  });

  it.each([29, 30] as const)('survives a damaged message of kind %i', async (op) => {
    await using room = await enter('Ann');
    room.group.damageNext(place.discord.botUser.id, op);
    if (op === 30) room.group.recreate();
    const bob = room.lounge.join(place.person('Bob'));
    await room.group.whenSettled();
    await room.hears(100);
    bob.leave();
  });

  it('survives what the gateway says out of its order', async () => {
    await using room = await enter('Ann');
    room.group.encrypt(false);
    await room.group.whenSettled();
    room.group.sendExternalSender(place.discord.botUser.id);
    await room.hears(100);
    room.group.encrypt(true);
    await room.group.whenSettled();
    room.group.sendExternalSender(place.discord.botUser.id);
    await room.hears(200);
  });

  it('is heard after its socket was lost in the middle of a change', async () => {
    await using room = await enter('Ann');
    const { resumes } = place.discord.voice;
    place.discord.voice.drop();
    const bob = room.lounge.join(place.person('Bob'));
    await soon(() => place.discord.voice.resumes).toBe(resumes + 1);
    await room.group.whenSettled();
    await room.hears(100);
    room.link.subscribe([room.ann.user.id, bob.user.id]);
    await room.hears(200, bob);
    bob.leave();
  });

  it('misses no change that is told before its session is resumed', async () => {
    await using room = await enter('Ann');
    const { voice } = place.discord;
    const { resumes } = voice;
    const { epoch } = room.group;
    voice.resumeFirst(false);
    room.group.onlyCommitsOf(room.ann.user.id);
    voice.drop();
    const bob = room.lounge.join(place.person('Bob'));
    await soon(() => voice.resumes).toBe(resumes + 1);
    await room.group.whenSettled();
    await room.hears(100);
    expect([room.group.epoch - epoch, room.link.stats()[0]!.undecryptable]).toEqual([1n, 0]);
    voice.resumeFirst(true);
    room.group.onlyCommitsOf();
    bob.leave();
  });

  it('says of whom it cannot hear, and hears the others all the while', async () => {
    await using room = await enter('Ann', 'Mute');
    const [mute] = room.more;
    room.link.subscribe([room.ann.user.id, mute!.user.id]);
    await mute!.speak(numbered(80, 500), { speed: 5 });
    await soon(() => room.told.events).toContain(`cannot hear ${mute!.user.id}`);
    await room.group.whenSettled();
    await room.hears(100);
    expect(room.told.heard(mute!.user.id)).toEqual([]);
    const stats = room.link.stats().find(({ memberId }) => memberId === mute!.user.id);
    expect(stats!.undecryptable).toBeGreaterThanOrEqual(25);
    expect(room.told.events).not.toContain(`cannot hear ${room.ann.user.id}`);
  });

  it('makes no new group for ever for one whom it cannot hear', async () => {
    await using room = await enter('Ann', 'Mute');
    const [mute] = room.more;
    const { epoch } = room.group;
    const { identifies } = place.discord.voice;
    for (let round = 0; round < 3; round += 1) {
      await room.hears(100 + 20 * round);
      const end = new AbortController();
      // Ann talks on: that others are heard is what spares them a new group.
      const talk = async (): Promise<void> => {
        while (!end.signal.aborted) await room.ann.speak(numbered(5, 900), { speed: 5 });
      };
      const talking = talk();
      await mute!.speak(numbered(40, 500), { speed: 5 });
      end.abort();
      await talking;
    }
    expect(place.discord.voice.identifies).toBe(identifies);
    await room.group.whenSettled();
    // To be taken out and put in again takes a change or two.
    expect(room.group.epoch - epoch).toBeLessThanOrEqual(2n);
  });
});
