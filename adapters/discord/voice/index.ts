import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model.ts';
import { realClock, type Clock } from '../../../src/room/clock.ts';
import type { RoomWatcher, VoicePort } from '../../../src/room/port.ts';
import type { On } from '../gateway/gateway-events.ts';
import type { Session } from '../gateway/client.ts';
import { channelOf, guildIdOf } from '../ids.ts';
import { findIn, mayJoinFull, missingForVoice } from '../permissions.ts';
import { createVoiceGateway } from './gateway.ts';
import type { OpenLink } from './link.ts';
import { loadLink } from './load.ts';
import { createPresence } from './presence.ts';

/** Discord takes five in five seconds, of which notes of ours need one. */
const EDIT_RATE = { count: 4, windowMs: 5_000 };

export interface VoiceParts {
  readonly session: () => Session;
  readonly rooms: RoomWatcher;
  readonly clock?: Clock | undefined;
}

export interface Voice {
  readonly port: VoicePort;
  listen(on: On, botId: string): void;
  /** Leaves every channel. */
  stop(): Promise<void>;
}

const noVoice = (): AppError =>
  new AppError('unsupported', 'there is no voice in a channel of this kind', {
    sentence: { key: 'room.no-voice-here' },
  });

const full = (): AppError =>
  new AppError('unavailable', 'the voice channel is full', {
    sentence: { key: 'room.full' },
    retryable: true,
  });

export const createVoice = ({ session, rooms, clock = realClock }: VoiceParts): Voice => {
  const links = new Map<string, OpenLink>();
  let botId = '';

  const presence = createPresence({
    changed: (guildId, channelId) => rooms.peopleChanged(channelOf(guildId, channelId)),
    left: (guildId, userId) => links.get(guildId)?.memberLeft(userId),
  });
  const gateway = createVoiceGateway({
    client: () => session().client,
    clock,
    placed: (guildId, channelId) => links.get(guildId)?.placed(channelId),
    misplaced: (guildId) => links.get(guildId)?.misplaced(),
  });

  const others: VoicePort['present'] = (room) =>
    presence.in(guildIdOf(room) ?? '', room.id).filter(({ id }) => id !== botId);

  /** Throws `unsupported` for what is no voice channel, `forbidden` with what is still to be allowed. */
  const demandRoom = (room: Channel): string => {
    const { client } = session();
    const guildId = guildIdOf(room);
    const found = findIn(client, room);
    if (guildId === undefined || !found?.isVoiceBased()) throw noVoice();
    const missing = missingForVoice(client, room);
    if (missing.length > 0)
      throw new AppError('forbidden', 'permissions for the voice channel are missing', {
        sentence: {
          key: 'room.missing',
          params: { permissions: missing.join(', '), channel: `<#${room.id}>` },
        },
      });
    const isFull = found.userLimit > 0 && presence.in(guildId, room.id).length >= found.userLimit;
    if (isFull && !mayJoinFull(client, room)) throw full();
    return guildId;
  };

  const port: VoicePort = {
    editRate: EDIT_RATE,
    ownName: ({ id }) => {
      const me = session().client.guilds.cache.get(id)?.members.me;
      return me?.displayName ?? session().application.name;
    },
    localeOf: ({ id }) => session().client.guilds.cache.get(id)?.preferredLocale ?? 'en',
    roomOf: ({ id }, memberId) => {
      const channelId = presence.channelOf(id, memberId);
      return channelId === undefined ? undefined : channelOf(id, channelId);
    },
    present: others,
    missing: (room) => missingForVoice(session().client, room),
    join: async (room, listener, signal) => {
      const guildId = demandRoom(room);
      await links.get(guildId)?.[Symbol.asyncDispose]();
      const { openLink } = await loadLink();
      const link = openLink(room, {
        guildId,
        adapterCreator: gateway.adapterFor(guildId),
        presentIn: others,
        clock,
        listener: {
          ...listener,
          ended: (error) => {
            if (links.get(guildId) === link) links.delete(guildId);
            listener.ended(error);
          },
        },
      });
      links.set(guildId, link);
      await link.joined(signal);
      return link;
    },
  };

  return {
    port,
    listen: (on, id) => {
      botId = id;
      gateway.listen(on, id);
      presence.listen(on);
    },
    stop: async () => {
      await Promise.all(links.values().map(async (link) => link[Symbol.asyncDispose]()));
    },
  };
};
