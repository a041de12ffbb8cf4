import { describe, expect, it } from 'vitest';
import type { VoiceLink } from '../../../../src/ports/voice.ts';
import type { FakeChannel } from '../../../fakes/discord/index.ts';
import { voiceConnectionTo } from '../../../fakes/voice-connection.ts';
import { never, openDiscord, placeOf } from '../support.ts';
import { createTold, fastClock, hearAnn, numbered, openVoice, soon } from './connection-support.ts';
import { shared } from '../../../fakes/opened.ts';

const place = shared(() => openVoice());

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
  const room = await hearAnn(place, { channel });
  const bot = () => place.discord.voice.connections.find((one) => one.channelId === channel.id);
  return { ...room, bot };
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
    expect(voiceConnectionTo(opened.guild.id)).toBeUndefined();
    await opened[Symbol.asyncDispose]();
  });

  it('is left by a process that finds itself there and knows nothing of it', async () => {
    const { fake, ...opened } = await openDiscord(
      { limits: 'off' },
      { clock: fastClock },
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

describe('a voice channel that is being joined', () => {
  /** The bot's place is there, and its connection is not. */
  const begin = async () => {
    const { guild, port, discord } = place;
    const channel = guild.channel({ type: 'voice', name: 'parlour' });
    const where = placeOf(guild, channel);
    await soon(() => port.missing(where)).toEqual([]);
    discord.voice.refuse(true);
    const told = createTold();
    const joining = port.join(where, told, never());
    joining.catch(() => undefined);
    await soon(() => discord.voice.connections.map(({ channelId }) => channelId)).toEqual([
      channel.id,
    ]);
    return { channel, joining, told };
  };

  it('is not joined when somebody throws us out meanwhile', async () => {
    const { guild, discord } = place;
    const { channel, joining, told } = await begin();
    channel.disconnect(discord.botUser);
    await expect(joining).rejects.toMatchObject({ sentence: { key: 'room.not-joined' } });
    discord.voice.refuse(false);
    expect(voiceConnectionTo(guild.id)).toBeUndefined();
    expect([told.events, discord.voice.connections]).toEqual([[], []]);
  });

  it('is another one when somebody moves us meanwhile', async () => {
    const { guild, discord } = place;
    const { joining, told } = await begin();
    const attic = guild.channel({ type: 'voice', name: 'attic' });
    attic.pull(discord.botUser);
    discord.voice.refuse(false);
    const link = await joining;
    expect(link.channel.id).toBe(attic.id);
    expect(told.events).toEqual([`moved ${attic.id}`, 'connected']);
    const ann = attic.join(place.person('Ann'));
    link.subscribe([ann.user.id]);
    await ann.speak(numbered(5), { speed: 5 });
    await soon(() => told.heard(ann.user.id).length).toBe(5);
    await link[Symbol.asyncDispose]();
    ann.leave();
  });

  it('is joined by whoever has just left it', async () => {
    await using room = await enter();
    await room.link[Symbol.asyncDispose]();
    const told = createTold();
    const link = await place.port.join(placeOf(place.guild, room.channel), told, never());
    link.subscribe([room.ann.user.id]);
    await room.ann.speak(numbered(5, 300), { speed: 5 });
    await soon(() => told.heard(room.ann.user.id)).toContain(304);
    expect([room.told.events.at(-1), told.events]).toEqual(['ended', ['connected']]);
    await link[Symbol.asyncDispose]();
  });
});

describe('a voice channel where we may speak no more', () => {
  it('tells what is to be allowed', async () => {
    await using room = await enter();
    room.channel.deny('Speak');
    room.channel.moderate(place.discord.botUser, { suppress: true });
    await soon(() => place.port.missing(room.link.channel)).toEqual(['Speak']);
    await expect(room.link.play(speech(3), never())).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { key: 'room.missing', params: { permissions: { list: ['Speak'] } } },
    });
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

/** Says three packets once it is let: the main gateway may tell it later than is waited for. */
const speaks = async (link: VoiceLink): Promise<void> =>
  soon(async () => link.play(speech(3), never()).then(() => 'said', String)).toBe('said');

/** Packets of ours that nobody heard, because we were in the audience. */
const muted = (): number => place.discord.voice.refused['muted'] ?? 0;

describe('a room whose moderators restrict us', () => {
  it('is told of it, and of its end, and gets nothing to hear meanwhile', async () => {
    await using room = await enter('voice');
    const { botUser } = place.discord;
    const told = () => room.told.events.filter((event) => event.startsWith('speaking'));
    const before = muted();
    const moderate = (flags: Parameters<FakeChannel['moderate']>[1]): void =>
      room.channel.moderate(botUser, flags);
    moderate({ mute: true });
    await soon(() => told().at(-1)).toBe('speaking: room.muted, hearing: yes');
    await expect(room.link.play(speech(3), never())).rejects.toMatchObject({
      sentence: { key: 'room.muted' },
    });
    moderate({ mute: false, deaf: true });
    await soon(() => told().at(-1)).toBe('speaking: yes, hearing: room.deafened');
    moderate({ deaf: false });
    await soon(() => told().at(-1)).toBe('speaking: yes, hearing: yes');
    room.channel.deny('Speak');
    await soon(() => told().at(-1)).toBe('speaking: room.missing, hearing: yes');
    room.channel.allow('Speak');
    await soon(() => told().at(-1)).toBe('speaking: yes, hearing: yes');
    await speaks(room.link);
    expect(muted()).toBe(before);
    expect(told()).toHaveLength(5);
  });
});

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
    const before = muted();
    await soon(() => wishes().at(-1)).toEqual(['request_to_speak_timestamp', 204]);
    const said = speaks(room.link);
    room.channel.moderate(place.discord.botUser, { suppress: false });
    await said;
    const played = await room.channel.recorded.until((all) => all.length >= 3);
    expect([...played[0]!.opus]).toEqual([...numbered(1)[0]!]);
    expect(muted()).toBe(before);
  });

  it('tells that nobody lets us speak, and is spoken on once somebody does', async () => {
    await using room = await enter('stage', 'RequestToSpeak');
    const before = muted();
    await expect(room.link.play(speech(3), never())).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { key: 'room.in-audience' },
    });
    expect(room.channel.recorded.packets).toEqual([]);
    room.channel.moderate(place.discord.botUser, { suppress: false });
    await speaks(room.link);
    const played = await room.channel.recorded.until((all) => all.length >= 3);
    expect([...played[0]!.opus]).toEqual([...numbered(1)[0]!]);
    expect(muted()).toBe(before);
  });

  it('is not joined where we may not even ask to speak', async () => {
    const stage = place.guild.channel({ type: 'stage', name: 'forum' });
    stage.deny('RequestToSpeak', 'MuteMembers', 'Speak');
    await soon(() => place.port.missing(placeOf(place.guild, stage))).toEqual(['Request to Speak']);
  });
});
