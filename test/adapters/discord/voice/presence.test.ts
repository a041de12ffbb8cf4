import { GatewayDispatchEvents as Events } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { On } from '../../../../adapters/discord/inbound/client.ts';
import { createPresence } from '../../../../adapters/discord/voice/presence.ts';

const member = (id: string, nick?: string) => ({
  user: { id, username: id, global_name: null, bot: id === 'robot' },
  nick: nick ?? null,
});

const start = () => {
  const told: string[] = [];
  const handlers = new Map<string, (data: unknown) => unknown>();
  const presence = createPresence({
    changed: (guildId, channelId) => told.push(`changed ${guildId} ${channelId}`),
    left: (guildId, channelId, userId) => told.push(`left ${guildId} ${channelId} ${userId}`),
  });
  presence.listen(((event: string, handle: (data: unknown) => unknown) =>
    handlers.set(event, handle)) as unknown as On);
  const happens = (event: string, data: unknown): string[] => {
    told.length = 0;
    handlers.get(event)!(data);
    return [...told];
  };
  return {
    presence,
    created: (...people: (readonly [id: string, channelId: string])[]) =>
      happens(Events.GuildCreate, {
        id: 'babel',
        members: people.map(([id]) => member(id)),
        voice_states: people.map(([user_id, channel_id]) => ({ user_id, channel_id })),
      }),
    moved: (id: string, channel_id: string | null, nick?: string) =>
      happens(Events.VoiceStateUpdate, {
        guild_id: 'babel',
        user_id: id,
        channel_id,
        member: member(id, nick),
      }),
    /** Of whom nothing more is told. */
    came: (user_id: string, channel_id: string) =>
      happens(Events.VoiceStateUpdate, { guild_id: 'babel', user_id, channel_id }),
    deleted: (unavailable?: boolean) => happens(Events.GuildDelete, { id: 'babel', unavailable }),
    unavailable: () => happens(Events.GuildCreate, { id: 'babel', unavailable: true }),
  };
};

describe('who is in voice channels', () => {
  it('is known from the start, bots as what they are, and of each channel', () => {
    const { presence, created } = start();
    expect(created(['ann', 'lounge'], ['robot', 'lounge'], ['bob', 'attic'])).toHaveLength(3);
    expect(presence.in('babel', 'lounge')).toEqual([
      { id: 'ann', name: 'ann', isBot: false },
      { id: 'robot', name: 'robot', isBot: true },
    ]);
    expect(presence.channelOf('babel', 'bob')).toBe('attic');
    expect(presence.channelOf('babylon', 'bob')).toBeUndefined();
    expect(presence.in('babylon', 'lounge')).toEqual([]);
  });

  it('is told when somebody comes, goes over, goes, or is called otherwise, and at nothing else', () => {
    const { presence, moved } = start();
    expect(moved('ann', 'lounge')).toEqual(['changed babel lounge']);
    // A camera, a muted microphone.
    expect(moved('ann', 'lounge')).toEqual([]);
    expect(moved('ann', 'lounge', 'Anna')).toEqual(['changed babel lounge']);
    expect(moved('ann', 'attic', 'Anna')).toEqual([
      'left babel lounge ann',
      'changed babel lounge',
      'changed babel attic',
    ]);
    expect(presence.in('babel', 'attic')).toEqual([{ id: 'ann', name: 'Anna', isBot: false }]);
    expect(moved('ann', null)).toEqual(['left babel attic ann', 'changed babel attic']);
    expect(moved('ann', null)).toEqual([]);
  });

  it('is told when somebody turns out to be a bot, whatever they are called', () => {
    const { presence, came, moved } = start();
    came('robot', 'lounge');
    expect(presence.in('babel', 'lounge')).toMatchObject([{ id: 'robot', isBot: false }]);
    expect(moved('robot', 'lounge')).toEqual(['changed babel lounge']);
    expect(presence.in('babel', 'lounge')).toMatchObject([{ id: 'robot', isBot: true }]);
  });

  it('is what a new session of the gateway tells: only who went meanwhile has left', () => {
    const { presence, created } = start();
    created(['ann', 'lounge'], ['bob', 'lounge']);
    expect(created(['ann', 'lounge'])).toEqual(['left babel lounge bob', 'changed babel lounge']);
    expect(created(['ann', 'lounge'])).toEqual([]);
    expect(presence.in('babel', 'lounge').map(({ id }) => id)).toEqual(['ann']);
  });

  it('stays through an outage of the server, and goes with the server', () => {
    const { presence, created, deleted, unavailable } = start();
    created(['ann', 'lounge'], ['bob', 'lounge']);
    expect([deleted(true), unavailable()]).toEqual([[], []]);
    expect(presence.in('babel', 'lounge')).toHaveLength(2);
    expect(deleted()).toEqual([
      'left babel lounge ann',
      'left babel lounge bob',
      'changed babel lounge',
    ]);
    expect(presence.in('babel', 'lounge')).toEqual([]);
    expect(deleted()).toEqual([]);
  });
});
