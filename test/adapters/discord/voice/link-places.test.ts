import { getVoiceConnections } from '@discordjs/voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { never, openDiscord, placeOf } from '../support.ts';
import { createTold, fastClock, numbered, openVoice, type VoicePlace } from './link-support.ts';

let place: VoicePlace;
beforeAll(async () => {
  place = await openVoice();
});
afterAll(() => place[Symbol.asyncDispose]());

const soon = <T>(read: () => T) => expect.poll(read, { interval: 5 });

async function* speech(count: number): AsyncGenerator<Uint8Array, void, void> {
  yield* numbered(count);
}

/** Somebody in a channel of their own, who is heard. */
const enter = async (
  type: 'voice' | 'stage' = 'voice',
  ...allowed: ('MuteMembers' | 'RequestToSpeak')[]
) => {
  const channel = place.guild.channel({ type, name: 'parlour' });
  channel.allow(...allowed);
  const person = place.person('Ann');
  const ann = channel.join(person);
  const { link, told } = await place.enter(createTold(), channel);
  link.hear([ann.user.id]);
  return {
    channel,
    person,
    ann,
    link,
    told,
    bot: () => place.discord.voice.connections.find((one) => one.channelId === channel.id),
    hears: async (from: number) => {
      await ann.speak(numbered(5, from), { speed: 5 });
      await soon(
        () => told.heard(ann.user.id).filter((each) => each >= from && each < from + 5).length,
      ).toBe(5);
    },
    [Symbol.asyncDispose]: async () => {
      await link[Symbol.asyncDispose]();
      ann.leave();
    },
  };
};

describe('a voice channel and the main gateway', () => {
  it('goes on where a session of the gateway is resumed', async () => {
    await using room = await enter();
    const { gateway, voice } = place.discord;
    const { identifies } = voice;
    const { resumes } = gateway;
    gateway.drop();
    await soon(() => gateway.resumes).toBe(resumes + 1);
    await room.hears(100);
    expect(voice.identifies).toBe(identifies);
  });

  it('is over when the bot is put out of the server, and no wish of it stays', async () => {
    const opened = await openVoice();
    const channel = opened.guild.channel({ type: 'voice', name: 'parlour' });
    const { told } = await opened.enter(createTold(), channel);
    opened.guild.kickBot();
    await soon(() => told.events.at(-1)).toBe('ended');
    expect(told.error).toBeUndefined();
    expect(getVoiceConnections().has(opened.guild.id)).toBe(false);
    await opened[Symbol.asyncDispose]();
  });

  it('is left by a process that finds itself there and knows nothing of it', async () => {
    const { fake, ...opened } = await openDiscord(
      { limits: 'off' },
      { voiceClock: fastClock },
      (discord) => {
        const guild = discord.guild({ name: 'Babel' });
        guild.channel({ type: 'voice', name: 'lounge' }).join(discord.botUser);
      },
    );
    await soon(() => fake.voice.connections).toEqual([]);
    await opened[Symbol.asyncDispose]();
  });

  it('is left and joined in one go, by whoever comes twice', async () => {
    const { guild, port, discord } = place;
    const [attic, cellar] = ['attic', 'cellar'].map((name) =>
      guild.channel({ type: 'voice', name }),
    );
    await soon(() => port.missing(placeOf(guild, cellar!))).toEqual([]);
    const [first, second] = [createTold(), createTold()];
    const joins = [
      port.join(placeOf(guild, attic!), first, never()),
      port.join(placeOf(guild, cellar!), second, never()),
    ];
    await expect(joins[0]).rejects.toMatchObject({ sentence: { key: 'room.not-joined' } });
    const link = await joins[1]!;
    expect(link.channel.id).toBe(cellar!.id);
    expect(discord.voice.connections.map(({ channelId }) => channelId)).toEqual([cellar!.id]);
    expect([first.events, second.events]).toEqual([[], ['connected']]);
    const third = createTold();
    const again = await port.join(placeOf(guild, cellar!), third, never());
    expect(second.events.at(-1)).toBe('ended');
    await soon(() => third.events).toEqual(['connected']);
    await again[Symbol.asyncDispose]();
    await soon(() => discord.voice.connections).toEqual([]);
  });
});

describe('a voice server that wants us no more', () => {
  it.each([4004, 4011, 4014, 4017, 4021, 4022])(
    'is not asked over and over after close code %i',
    async (code) => {
      await using room = await enter();
      const { voice } = place.discord;
      const { identifies } = voice;
      for (let round = 0; round < (code === 4014 ? 1 : 2); round += 1) {
        await soon(() => room.bot()?.ready).toBe(true);
        voice.close(code, room.channel);
        await soon(() => room.bot()?.ready).toBe(false);
      }
      expect(voice.identifies - identifies).toBeLessThanOrEqual(3);
      expect(room.told.events).not.toContain('ended');
    },
  );

  it('may be there again under another address, a while after it went', async () => {
    await using room = await enter();
    const { voice } = place.discord;
    voice.withdraw(room.channel);
    await soon(() => room.told.events.at(-1)).toBe('away');
    await voice.allocate(room.channel);
    await soon(() => room.told.events.at(-1)).toBe('connected');
    await room.hears(100);
  });

  it('is asked again where an answer of the handshake is lost', async () => {
    const { voice } = place.discord;
    await using room = await enter();
    await voice.udp.drop(true);
    voice.close(4009, room.channel);
    await soon(() => room.told.events.at(-1)).toBe('away');
    await voice.udp.drop(false);
    await soon(() => room.told.events.at(-1)).toBe('connected');
    await room.hears(100);
  });
});

/** What we asked for ourselves on stages. */
const wishes = () =>
  place.discord.requests
    .filter(({ route }) => route === 'PATCH /guilds/:id/voice-states/:id')
    .map(({ body, status }) => [Object.keys(body as object).at(-1), status]);

describe('a stage', () => {
  it('is spoken on by a moderator from the first word on, and heard', async () => {
    await using room = await enter('stage', 'MuteMembers');
    await room.link.play(speech(5), never());
    const played = await room.channel.recorded.until((all) => all.length >= 5);
    expect(played.slice(0, 5).map(({ opus }) => [...opus])).toEqual(
      numbered(5).map((packet) => [...packet]),
    );
    expect(wishes()).toEqual([['suppress', 204]]);
    room.channel.moderate(room.person, { suppress: false });
    await room.hears(100);
    // Whoever is put back to the audience stays there.
    room.channel.moderate(place.discord.botUser, { suppress: true });
    await room.hears(200);
    expect(wishes()).toHaveLength(1);
  });

  it('is asked for leave to speak on by anybody else, and what we say meanwhile is not sent', async () => {
    await using room = await enter('stage', 'RequestToSpeak');
    await soon(() => wishes().at(-1)).toEqual(['request_to_speak_timestamp', 204]);
    const said = room.link.play(speech(3), never());
    room.channel.moderate(place.discord.botUser, { suppress: false });
    await said;
    const played = await room.channel.recorded.until((all) => all.length >= 3);
    expect([...played[0]!.opus]).toEqual([...numbered(1)[0]!]);
    expect(place.discord.voice.refused['muted'] ?? 0).toBe(0);
  });

  it('is not joined where we may not even ask to speak', async () => {
    const stage = place.guild.channel({ type: 'stage', name: 'forum' });
    stage.deny('RequestToSpeak', 'MuteMembers', 'Speak');
    await soon(() => place.port.missing(placeOf(place.guild, stage))).toEqual(['Request to Speak']);
  });
});
