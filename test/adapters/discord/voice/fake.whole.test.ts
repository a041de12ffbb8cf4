import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { VoiceConnectionStatus } from '@discordjs/voice';
import { GatewayIntentBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { VOICE_CERTIFICATE_PATH, startDiscordFake } from '../../../fakes/discord/index.ts';
import { login } from '../../../fakes/discord/login.ts';
import {
  INTENTS,
  entered,
  listen,
  numbered,
  open,
  play,
  rawVoice,
  ready,
  soon,
} from './fake-support.ts';

describe('joining', () => {
  it('takes the unmodified library to Ready, and out again', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    expect(discord.voice.connections).toMatchObject([
      { channelId: lounge.id, connected: true, ready: true },
    ]);
    expect(lounge.present.map(({ id }) => id)).toEqual([discord.botUser.id]);
    connection.destroy();
    await discord.until(() => discord.voice.connections.length === 0);
    expect(lounge.present).toEqual([]);
  });

  it('starts nothing for a bot that joins nothing', async () => {
    await using discord = await startDiscordFake();
    expect(discord.voice.connections).toEqual([]);
  });

  it('is refused without a word where the bot may not connect, and where all places are taken', async () => {
    await using place = await open();
    const { discord, ann } = place;
    const [closed, full] = [
      discord.guild().channel({ type: 'voice' }),
      discord.guild().channel({ type: 'voice', userLimit: 1 }),
    ];
    closed.deny('Connect');
    full.join(ann);
    for (const channel of [closed, full]) {
      const id = channel.state.guild!.id;
      await soon(() => place.client.guilds.cache.has(id)).toBe(true);
      place.client.guilds.cache.get(id)!.shard.send({
        op: 4,
        d: { guild_id: id, channel_id: channel.id, self_mute: false, self_deaf: false },
      });
    }
    await place.ready();
    expect(discord.voice.connections.map(({ channelId }) => channelId)).toEqual([place.lounge.id]);
    expect(() => full.join(discord.user())).toThrow('cannot connect');
  });

  it('tells the bot who is there, before it joins and after', async () => {
    await using discord = await startDiscordFake({ limits: 'off' });
    const lounge = discord.guild().channel({ type: 'voice' });
    const ann = lounge.join(discord.user({ name: 'ann' }));
    await using loggedIn = await login(discord, INTENTS);
    const states = loggedIn.client.guilds.cache.first()!.voiceStates.cache;
    expect(states.get(ann.user.id)).toMatchObject({ channelId: lounge.id, selfVideo: false });
    expect(states.get(ann.user.id)?.member?.user.username).toBe('ann');
    ann.camera();
    ann.mute();
    await soon(() => states.get(ann.user.id)).toMatchObject({ selfVideo: true, selfMute: true });
    ann.leave();
    await soon(() => states.get(ann.user.id)?.channelId ?? null).toBe(null);
  });

  it('keeps voice states from a bot without their intent', async () => {
    await using discord = await startDiscordFake({ limits: 'off' });
    const lounge = discord.guild().channel({ type: 'voice' });
    const ann = lounge.join(discord.user());
    await using loggedIn = await login(discord, [GatewayIntentBits.Guilds]);
    ann.mute();
    discord.guild({ name: 'last' });
    await soon(() => loggedIn.client.guilds.cache.size).toBe(2);
    expect(loggedIn.client.guilds.cache.first()!.voiceStates.cache.size).toBe(0);
  });

  it("ends with the bot's session on the main gateway", async () => {
    await using place = await open();
    await place.ready();
    await place.client.destroy();
    await place.discord.until(() => place.lounge.present.length === 0);
  });
});

describe('the bot in voice', () => {
  it('says of itself what it likes without another connection', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    connection.rejoin({ ...connection.joinConfig, selfMute: true });
    const own = () => lounge.state.guild!.voiceStates.get(discord.botUser.id);
    await discord.until(() => own()?.selfMute === true);
    await play(connection, numbered(1));
    await discord.until(() => discord.voice.refused['muted'] === 1);
    expect(discord.voice.identifies).toBe(1);
  });

  it('listens on a stage until it is let speak', async () => {
    await using place = await open();
    const { discord, guild } = place;
    const stage = guild.channel({ type: 'stage' });
    const connection = await place.ready(stage);
    await play(connection, numbered(1));
    await discord.until(() => discord.voice.refused['muted'] === 1);
    stage.moderate(discord.botUser, { suppress: false });
    await play(connection, numbered(2));
    await stage.recorded.until(({ length }) => length === 2);
  });

  it('comes back anew where an earlier session of it was left behind', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const voice = await rawVoice(place);
    voice.send(0, voice.known);
    await voice.message(2);
    expect(lounge.present).toHaveLength(1);
    const connection = await place.ready();
    expect(await voice.closed).toBe(4014);
    await play(connection, numbered(2));
    await lounge.recorded.until(({ length }) => length === 2);
    expect(discord.voice.connections).toHaveLength(1);
  });

  it('is in a channel of each server, and may lose one of them', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const other = discord.guild().channel({ type: 'voice' });
    const guildId = other.state.guild!.id;
    await soon(() => place.client.guilds.cache.has(guildId)).toBe(true);
    await place.ready();
    await place.ready(other);
    discord.voice.close(4015, other);
    await discord.until(() => discord.voice.resumes === 1);
    discord.voice.drop(lounge);
    await discord.until(() => discord.voice.resumes === 2);
    expect(discord.voice.connections.map(({ channelId }) => channelId)).toEqual([
      lounge.id,
      other.id,
    ]);
    expect(discord.voice.identifies).toBe(2);
  });

  it('is met by a certificate that other programs can be made to trust', async () => {
    await using place = await open();
    await place.ready();
    const [, port] = place.discord.voice.connections[0]!.endpoint!.split(':');
    const script = `require('node:tls').connect(${port}, '127.0.0.1', function () {
      console.log(this.authorized);
      process.exit();
    })`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH },
    });
    expect(stdout).toBe('true\n');
  });
});

describe('a voice connection', () => {
  it.each([
    ['after RESUMED', true],
    ['before RESUMED', false],
  ])('is resumed after it was cut, and hears %s what it missed', async (_, first) => {
    await using place = await open();
    const { discord, lounge } = place;
    discord.voice.resumeFirst(first);
    const connection = await place.ready();
    const ann = lounge.join(place.ann);
    await ann.speak(numbered(1), { speed: 20 });
    for (const cut of [() => discord.voice.drop(), () => discord.voice.close(4015)]) {
      connection.receiver.ssrcMap.delete(ann.user.id);
      const before = discord.voice.resumes;
      cut();
      ann.changeSsrc();
      await ann.speak(numbered(1), { speed: 20 });
      await discord.until(() => discord.voice.resumes === before + 1);
      await ready(connection);
      await soon(() => connection.receiver.ssrcMap.get(ann.ssrc)?.userId).toBe(ann.user.id);
    }
    await play(connection, numbered(5));
    await lounge.recorded.until(({ length }) => length === 5);
    expect(discord.voice.identifies).toBe(1);
  });

  // Long enough that a busy machine misses none before it shall.
  it('is resumed where its heartbeats are not answered', async () => {
    await using place = await open({ voice: { heartbeatMs: 250 } });
    const { discord } = place;
    await place.ready();
    discord.voice.mute(true);
    await discord.until(() => discord.voice.resumes === 1);
    discord.voice.mute(false);
    expect(discord.voice.identifies).toBe(1);
  });

  it.each([4006, 4009, 4017, 4021, 4022])(
    'that is closed with %i is made anew, with another key and SSRC',
    async (code) => {
      await using place = await open();
      const { discord, lounge } = place;
      const connection = await place.ready();
      const [before] = discord.voice.connections;
      discord.voice.close(code);
      await discord.until(() => discord.voice.identifies === 2);
      await ready(connection);
      expect(discord.voice.connections[0]?.ssrc).not.toBe(before?.ssrc);
      await play(connection, numbered(3));
      await lounge.recorded.until(({ length }) => length === 3);
    },
  );

  it('is refused for as long as the server is', async () => {
    await using place = await open();
    const { discord } = place;
    discord.voice.refuse(true);
    const connection = place.enter();
    await discord.until(() => discord.voice.refusals > 1);
    discord.voice.refuse(false);
    await ready(connection);
  });

  it('is closed with 4014 where a moderator ends it, kicks the bot, or deletes the channel', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    const gone = async (): Promise<void> => {
      await entered(connection, VoiceConnectionStatus.Disconnected);
      expect(connection.state).toMatchObject({ closeCode: 4014 });
      expect(discord.voice.connections).toEqual([]);
    };
    lounge.disconnect(discord.botUser);
    await gone();
    connection.rejoin();
    await ready(connection);
    lounge.delete();
    await gone();
  });

  it('follows the bot into another channel', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    const hall = place.guild.channel({ type: 'voice', name: 'hall' });
    hall.pull(discord.botUser);
    await discord.until(
      () => discord.voice.identifies === 2 && discord.voice.connections[0]?.ready === true,
    );
    await ready(connection);
    await play(connection, numbered(3));
    await hall.recorded.until(({ length }) => length === 3);
    expect(lounge.recorded.packets).toEqual([]);
    expect(connection.joinConfig.channelId).toBe(hall.id);
  });

  it('waits while its channel has no voice server', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    discord.voice.withdraw(lounge);
    await entered(connection, VoiceConnectionStatus.Disconnected);
    expect(discord.voice.connections).toMatchObject([{ endpoint: undefined, connected: false }]);
    await discord.voice.allocate(lounge);
    await ready(connection);
  });

  it('follows its channel to another voice server', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const connection = await place.ready();
    const [before] = discord.voice.connections;
    const states: string[] = [];
    connection.on('stateChange', (_, { status }) => states.push(status));
    await discord.voice.moveRegion(lounge);
    await discord.until(
      () => discord.voice.identifies === 2 && discord.voice.connections[0]?.ready === true,
    );
    await ready(connection);
    expect(states).toContain(VoiceConnectionStatus.Disconnected);
    expect(discord.voice.connections[0]?.endpoint).not.toBe(before?.endpoint);
    await play(connection, numbered(3));
    await lounge.recorded.until(({ length }) => length === 3);
  });

  it('loses what goes both ways into a black hole, and nothing after it', async () => {
    await using place = await open();
    const { discord, lounge } = place;
    const ann = lounge.join(place.ann);
    const connection = await place.ready();
    const heard = listen(connection, ann.user);
    await play(connection, numbered(2));
    await lounge.recorded.until(({ length }) => length === 2);
    await discord.voice.udp.drop(true);
    await play(connection, numbered(2));
    await ann.noise(40, { speed: 20 });
    await discord.voice.udp.drop(false);
    await play(connection, numbered(2));
    await lounge.recorded.until(({ length }) => length >= 4);
    await ann.speak(numbered(2), { speed: 20, trailing: 0 });
    await soon(() => heard).toEqual(numbered(2));
    expect(discord.voice.refused).toEqual({});
  });
});
