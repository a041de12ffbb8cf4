import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { NetworkingStatusCode, VoiceConnectionStatus } from '@discordjs/voice';
import { describe, expect, it } from 'vitest';
import type { VoicePerson } from '../../../fakes/discord/index.ts';
import { createDaveGroup } from '../../../fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../../../fakes/discord/voice/dave/person.ts';
import { sealRtp } from '../../../fakes/discord/voice/rtp.ts';
import { packetsOf } from '../../../fakes/discord/voice/sounds.ts';
import { createRandom } from '../../../fakes/random.ts';
import {
  SILENCE,
  listen,
  numbered,
  open,
  play,
  rawVoice,
  ready,
  soon,
  tap,
} from './fake-support.ts';

const SPEECH = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));

describe('what the bot plays', () => {
  it('is recorded packet for packet', async () => {
    await using place = await open();
    const { lounge, discord } = place;
    const connection = await place.ready();
    const packets = [...numbered(60), SILENCE, SILENCE];
    await play(connection, packets);
    const played = await lounge.recorded.until(({ length }) => length === packets.length);
    expect(played.map(({ opus }) => Buffer.from(opus))).toEqual(packets);
    const [first, second] = played;
    expect(second?.sequence).toBe((first!.sequence + 1) % 65_536);
    expect(discord.voice.refused).toEqual({});
  });

  it('is refused where it is not a packet of 20 ms, and where the bot may not speak', async () => {
    await using place = await open();
    const { lounge, discord } = place;
    const connection = await place.ready();
    await play(connection, [Buffer.from([0xf9, 1, 2])]);
    await discord.until(() => discord.voice.refused['opus'] === 1);
    lounge.moderate(discord.botUser, { mute: true });
    await play(connection, numbered(2));
    await discord.until(() => discord.voice.refused['muted'] === 2);
    lounge.moderate(discord.botUser, { mute: false });
    await play(connection, numbered(1));
    await lounge.recorded.until(({ length }) => length === 1);
  });

  it('is refused without SPEAKING, under a nonce used twice, out of sequence or of time', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const voice = await rawVoice(place);
    voice.send(0, voice.known);
    const { ssrc, port, modes } = await voice.message(2);
    expect(modes).toEqual(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize']);
    const data = { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' };
    voice.send(1, { protocol: 'udp', data });
    const { secret_key: secret } = await voice.message(4);
    const key = Uint8Array.from(secret as number[]);
    const udp = createSocket('udp4');
    const base = { payloadType: 0x78, ssrc: Number(ssrc), payload: SILENCE };
    const send = (sequence: number, timestamp: number, nonce: number, part = {}): void =>
      udp.send(sealRtp({ ...base, sequence, timestamp, ...part }, key, nonce), Number(port));
    const refusals = (count: number) =>
      discord.until(
        () => Object.values(discord.voice.refused).reduce((sum, one) => sum + one, 0) === count,
      );
    send(65_535, 2 ** 32 - 960, 1);
    voice.send(5, { speaking: 1, delay: 0, ssrc });
    await lounge.recorded.until(({ length }) => length === 1);
    send(0, 0, 2, { csrcs: [1, 2], extension: new Uint8Array(4), paddingBytes: 3 });
    await lounge.recorded.until(({ length }) => length === 2);
    const wrong: (readonly [number, number, number, object?])[] = [
      [1, 960, 2],
      [2, 1920, 3],
      [3, 2881, 4],
      [4, 3841, 5, { payloadType: 0x79 }],
      [4, 3841, 6, { ssrc: 1 }],
    ];
    for (const [index, one] of wrong.entries()) {
      send(...one);
      await refusals(index + 1);
    }
    udp.send(
      sealRtp({ ...base, sequence: 4, timestamp: 3841 }, new Uint8Array(32), 7),
      Number(port),
    );
    await refusals(6);
    udp.close();
    expect(discord.voice.refused).toEqual({
      nonce: 1,
      sequence: 1,
      timestamp: 1,
      'payload type': 1,
      ssrc: 1,
      seal: 1,
    });
    voice.socket.terminate();
  });

  it('is not heard from a bot that never says that it speaks', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    const { state } = connection;
    if (state.status !== VoiceConnectionStatus.Ready) throw new Error('not ready');
    const networking = state.networking.state;
    if (networking.code !== NetworkingStatusCode.Ready) throw new Error('not ready');
    networking.connectionData.speaking = true;
    await play(connection, numbered(3));
    const ann = lounge.join(place.ann);
    const heard = listen(connection, ann.user);
    await ann.speak(numbered(3), { speed: 20 });
    await soon(() => heard.length).toBe(8);
    connection.destroy();
    await discord.until(() => discord.voice.refused['speaking'] === 3);
    expect(lounge.recorded.packets).toEqual([]);
  });
});

describe('what people say', () => {
  it('reaches the library unharmed, five packets of silence after it', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const connection = await place.ready();
    const heard = listen(connection, ann.user);
    const { sent } = await ann.speak(SPEECH, { speed: 20 });
    const packets = [...(await packetsOf(SPEECH)), ...Array.from({ length: 5 }, () => SILENCE)];
    expect(sent).toBe(packets.length);
    await soon(() => heard.length).toBe(packets.length);
    expect(Buffer.concat(heard).equals(Buffer.concat(packets))).toBe(true);
  });

  it.each([
    ['with an extension and padding', { paddingBytes: 9 }],
    ['without either', { extension: false }],
  ])('is the same %s', async (_, options) => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const connection = await place.ready();
    const heard = listen(connection, ann.user);
    await ann.speak(numbered(20), { speed: 20, trailing: 0, ...options });
    await soon(() => heard).toEqual(numbered(20));
  });

  it('goes on in sequence and in time over both ends of their numbers, and over pauses', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const bob = place.lounge.join(place.discord.user(), { timestamps: 'stand' });
    const opened = tap(await place.ready());
    const of = ({ ssrc }: VoicePerson) => opened.filter((one) => one?.ssrc === ssrc);
    for (const one of [ann, bob]) {
      await one.speak(numbered(10), { speed: 20, trailing: 0 });
      await one.silence(400, 20);
      await one.speak(numbered(2), { speed: 20, trailing: 0 });
    }
    await soon(() => opened.length).toBe(24);
    const steps = (person: VoicePerson, field: 'sequence' | 'timestamp', around: number) =>
      of(person)
        .slice(1)
        .map((one, at) => (one![field] - of(person)[at]![field] + around) % around);
    for (const one of [ann, bob])
      expect(new Set(steps(one, 'sequence', 65_536))).toEqual(new Set([1]));
    const even = Array.from({ length: 9 }, () => 960);
    expect(steps(ann, 'timestamp', 2 ** 32)).toEqual([...even, 21 * 960, 960]);
    expect(steps(bob, 'timestamp', 2 ** 32)).toEqual([...even, 960, 960]);
    expect(of(ann).some((one, at, all) => one!.sequence < (all[at - 1]?.sequence ?? 0))).toBe(true);
  });

  it('is lost, doubled and put out of order as asked, the same each time', async () => {
    await using place = await open();
    const opened = tap(await place.ready());
    const how = {
      speed: 20,
      lossPercent: 20,
      duplicatePercent: 20,
      reorderPercent: 20,
      jitterMs: 3,
    };
    const runs = [];
    for (const user of [place.ann, place.discord.user()]) {
      opened.length = 0;
      const person = place.lounge.join(user, { random: createRandom(7), sequence: 0 });
      const { sent, lost } = await person.speak(numbered(95), how);
      const known = () => new Set(opened.map((one) => one!.sequence));
      await soon(() => known().size).toBe(sent - lost);
      runs.push({ sent, lost, known: [...known()].toSorted((one, other) => one - other) });
      const sequences = opened.map((one) => one!.sequence);
      expect(sequences.length).toBeGreaterThan(known().size);
      expect(sequences.some((one, at) => at > 0 && one < sequences[at - 1]!)).toBe(true);
      person.leave();
    }
    expect(runs[0]?.lost).toBeGreaterThan(5);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('cannot be read where it is sealed with another key, and is no sound where it is garbled', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const connection = await place.ready();
    const opened = tap(connection);
    const heard = listen(connection, ann.user);
    await ann.speak(numbered(3), { speed: 20, trailing: 0, spoil: 'dave' });
    await soon(() => heard.length).toBe(3);
    expect(heard).not.toContainEqual(numbered(1)[0]);
    await ann.speak(numbered(2), { speed: 20, trailing: 0, spoil: 'transport' });
    await soon(() => opened.filter((one) => one === undefined).length).toBe(2);
    expect(heard.length).toBe(3);
  });

  it('comes from an SSRC that the bot may not know', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann, { announce: false });
    const connection = await place.ready();
    const opened = tap(connection);
    const heard = listen(connection, ann.user);
    await ann.noise(40, { speed: 20 });
    await soon(() => opened.length).toBe(7);
    expect(heard).toEqual([]);
    const before = ann.ssrc;
    ann.changeSsrc();
    expect(ann.ssrc).not.toBe(before);
    await ann.noise(40, { speed: 20 });
    await soon(() => heard.length).toBe(7);
  });

  it('is known after a new join, unless the server keeps it to itself', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const connection = await place.ready();
    await ann.speak(numbered(1), { speed: 20 });
    const speakers = async (): Promise<boolean> => {
      connection.receiver.ssrcMap.delete(ann.user.id);
      const rejoined = place.discord.voice.identifies;
      place.discord.voice.close(4006);
      await place.discord.until(
        () =>
          place.discord.voice.identifies > rejoined &&
          place.discord.voice.connections[0]?.ready === true,
      );
      await ready(connection);
      return connection.receiver.ssrcMap.get(ann.user.id) !== undefined;
    };
    expect(await speakers()).toBe(true);
    place.discord.voice.tellSpeakers(false);
    expect(await speakers()).toBe(false);
  });

  it('is not sent while they are muted or the bot is deaf, nor after they left', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const connection = await place.ready();
    const opened = tap(connection);
    ann.mute();
    expect(await ann.noise(40, { speed: 20 })).toMatchObject({ sent: 0 });
    ann.mute(false);
    place.lounge.moderate(place.discord.botUser, { deaf: true });
    expect(await ann.noise(40, { speed: 20 })).toMatchObject({ sent: 7 });
    place.lounge.moderate(place.discord.botUser, { deaf: false });
    const speaking = ann.noise(60_000);
    await soon(() => opened.length).toBeGreaterThan(0);
    ann.leave();
    expect((await speaking).sent).toBeLessThan(3000);
    await soon(() => connection.receiver.ssrcMap.get(ann.user.id)).toBe(undefined);
    await expect(ann.noise(40)).rejects.toThrow('in no voice channel');
  });

  it('comes from another SSRC after they went to another channel', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const hall = place.guild.channel({ type: 'voice', name: 'hall' });
    const connection = await place.ready();
    await ann.speak(numbered(1), { speed: 20 });
    const before = ann.ssrc;
    ann.move(hall);
    expect(hall.present.map(({ id }) => id)).toEqual([ann.user.id]);
    await soon(() => connection.receiver.ssrcMap.get(before)).toBe(undefined);
    ann.move(place.lounge);
    expect(ann.ssrc).not.toBe(before);
    const heard = listen(connection, ann.user);
    await ann.speak(numbered(3), { speed: 20, trailing: 0 });
    await soon(() => heard).toEqual(numbered(3));
  });
});
describe('an encrypted channel', () => {
  it('is heard and spoken to through its keys, in a session that is resumed too', async () => {
    const groups: ReturnType<typeof createDaveGroup>[] = [];
    const dave = (channelId: string) => {
      const group = createDaveGroup({ channelId });
      groups.push(group);
      return { group, person: (userId: string) => createDavePerson(group, userId) };
    };
    await using place = await open({ voice: { dave } });
    const { discord, lounge } = place;
    const ann = lounge.join(place.ann);
    const connection = await place.ready();
    const opened = tap(connection);
    const heard = listen(connection, ann.user);
    const [group] = groups;
    for (const round of [1, 2]) {
      await group?.whenSettled();
      expect(group?.members).toContain(discord.botUser.id);
      await soon(() => connection.voicePrivacyCode).not.toBe(undefined);
      await ann.speak(numbered(5), { speed: 20, trailing: 0 });
      await soon(() => heard.length).toBe(5 * round);
      await play(connection, numbered(5));
      await lounge.recorded.until(({ length }) => length === 5 * round);
      discord.voice.drop();
      await discord.until(() => discord.voice.resumes === round);
      await ready(connection);
    }
    expect(heard).toEqual([...numbered(5), ...numbered(5)]);
    expect(lounge.recorded.packets.map(({ opus }) => Buffer.from(opus))).toEqual(heard);
    expect(opened.some((one) => numbered(5)[0]!.equals(one!.payload))).toBe(false);
    expect(discord.voice.refused).toEqual({});
    await ann.speak(numbered(2), { speed: 20, trailing: 0, spoil: 'dave' });
    await soon(() => opened.length).toBe(12);
    expect(heard).toHaveLength(10);
  });
});
