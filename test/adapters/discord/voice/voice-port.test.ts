import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FakeChannel, VoicePerson } from '../../../fakes/discord/index.ts';
import { testContract } from '../../../contracts/contract.ts';
import { voicePortContract, type VoicePortSubject } from '../../../contracts/voice-port.ts';
import { placeOf } from '../support.ts';
import { numbered, openVoice, SPEED } from './connection-support.ts';
import { shared } from '../../../fakes/opened.ts';

const place = shared(() => openVoice({ dave: true }));

/** Rooms of a server of their own. */
const openSubject = async (): Promise<VoicePortSubject> => {
  const { discord, port } = place;
  const guild = discord.guild({ name: 'Babel' });
  const channels = new Map<string, FakeChannel>();
  const people = new Map<string, VoicePerson>();
  const open = (name: string) => {
    const channel = guild.channel({ type: 'voice', name });
    channels.set(channel.id, channel);
    return placeOf(guild, channel);
  };
  const [room, other] = [open('room'), open('other')];
  const soon: VoicePortSubject['soon'] = async (check) => {
    const holds = (): boolean => {
      check();
      return true;
    };
    await expect.poll(holds, { interval: 5 }).toBe(true);
  };
  for (const each of [room, other])
    await expect.poll(() => port.missing(each), { interval: 5 }).toEqual([]);
  return {
    port,
    room,
    other,
    enter: async ({ id }, name) => {
      const user = discord.user({ name });
      guild.join(user);
      people.set(user.id, channels.get(id)!.join(user));
      await expect.poll(() => port.roomOf(room.space, user.id)?.id, { interval: 5 }).toBe(id);
      return user.id;
    },
    exit: (id) => people.get(id)!.leave(),
    speak: async (id, packets) => {
      await people.get(id)!.speak(numbered(packets), { speed: SPEED });
    },
    move: ({ id }) => channels.get(id)!.pull(discord.botUser),
    silence: (isSilenced) =>
      channels.get(room.id)!.moderate(discord.botUser, { mute: isSilenced, deaf: isSilenced }),
    disconnect: () => {
      for (const channel of channels.values())
        if (discord.voice.connections.some(({ channelId }) => channelId === channel.id))
          channel.disconnect(discord.botUser);
    },
    played: ({ id }) => channels.get(id)!.recorded.packets.length,
    soon,
    pass: async (ms) => {
      await sleep(ms / SPEED);
    },
  };
};

testContract('voice channels of Discord', voicePortContract, openSubject);
