import { AppError, toAppError, userError } from '../../../src/errors.ts';
import { randomUUID } from 'node:crypto';
import type { Client } from 'discord.js';
import type { Clock } from '../../../src/async/clock.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { channelMention, type Channel } from '../../../src/model/place.ts';
import type {
  LinkListener,
  Restrictions,
  RoomWatcher,
  VoicePort,
} from '../../../src/ports/voice.ts';
import type { Api } from '../api.ts';
import type { On } from '../inbound/client.ts';
import type { Application } from '../application.ts';
import type { Clients } from '../shards/clients.ts';
import { channelOf, guildIdOf, PLATFORM } from '../ids.ts';
import { findIn, mayJoinFull, missingForVoice } from '../permissions.ts';
import { createBudget } from './recovery.ts';
import type { OpenLink, VoiceState } from './connection.ts';
import { createVoiceGateway } from './gateway.ts';
import { createPresence, createStage } from './presence.ts';

/** Loads the voice connection, which is slow; rejects with `missing` without its native part. */
export const loadLink = async (): Promise<typeof import('./connection.ts')> => {
  try {
    return await import('./connection.ts');
  } catch (cause) {
    throw new AppError(
      'missing',
      'the encryption of voice channels is not installed: run npm ci without --omit=optional',
      { cause, sentence: { key: 'room.no-encryption' }, remedy: { key: 'remedies.doctor' } },
    );
  }
};

/** Rate of edits: Discord takes five in five seconds, of which status messages need one. */
const EDIT_RATE = { count: 4, windowMs: 5_000 };

export interface VoiceDeps {
  readonly api: Api;
  readonly log: Log;
  readonly application: () => Pick<Application, 'name'>;
  readonly clients: Pick<Clients, 'here'>;
  readonly rooms: RoomWatcher;
  readonly clock: Clock;
}

const noVoice = (): AppError => userError('unsupported', 'room.no-voice-here');

const full = (): AppError => userError('unavailable', 'room.full', {}, { retryable: true });

const inAudience = (): AppError => userError('forbidden', 'room.in-audience');

const muted = (): AppError => userError('forbidden', 'room.muted', { permission: 'Mute Members' });
const deafened = (): AppError =>
  userError('forbidden', 'room.deafened', { permission: 'Deafen Members' });

/** Most errors that are logged: packets come 50 times a second, and so may their errors. */
const LOGGED = { most: 10, windowMs: 60_000 };

/** Guards a listener that is called by the library and by sockets, so that it never throws. */
export const guardListener = (
  listener: LinkListener,
  log: Log,
  nowMs: () => number,
): LinkListener => {
  const budget = createBudget(LOGGED.most, LOGGED.windowMs, nowMs);
  const guard =
    <Given extends unknown[]>(report: (...given: Given) => void) =>
    (...given: Given): void => {
      try {
        report(...given);
      } catch (thrown) {
        if (!budget.take()) return;
        const { code, message, cause } = toAppError(thrown);
        log.error({ code, reason: message, err: cause }, 'Discord: a voice listener failed');
      }
    };
  return {
    packet: guard((packet) => listener.packet(packet)),
    moved: guard((to) => listener.moved(to)),
    audible: guard((memberId, isAudible) => listener.audible(memberId, isAudible)),
    missed: guard((ms) => listener.missed(ms)),
    restricted: guard((restrictions) => listener.restricted(restrictions)),
    connected: guard((isConnected) => listener.connected(isConnected)),
    ended: guard((error) => listener.ended(error)),
  };
};

export const createVoice = ({ application, clients, rooms, api, log, clock }: VoiceDeps) => {
  const links = new Map<string, OpenLink>();
  const group = randomUUID();
  let botId = '';

  const presence = createPresence({
    changed: (guildId, channelId) => rooms.peopleChanged(channelOf(guildId, channelId)),
    left: (guildId, channelId, userId) => {
      const link = links.get(guildId);
      if (link?.channel.id === channelId) link.memberLeft(userId);
    },
  });
  const clientOf = ({ space }: Pick<Channel, 'space'>) => clients.here(space.id);
  const stage = createStage(api, clients, log);
  const gateway = createVoiceGateway({
    clients,
    clock,
    placed: (where) => {
      links.get(where.guildId)?.placed(where);
      stage.placed(where);
    },
    ready: (guildId) => rooms.spaceReady({ platform: PLATFORM, id: guildId }),
    misplaced: (guildId) => links.get(guildId)?.misplaced(),
    gone: (guildId) => {
      links.get(guildId)?.end();
      stage.gone(guildId);
    },
  });

  const others: VoicePort['present'] = (room) =>
    presence.in(guildIdOf(room) ?? '', room.id).filter(({ id }) => id !== botId);

  const lacking = (room: Channel): AppError | undefined => {
    const missing = missingForVoice(clientOf(room), room);
    if (missing.length === 0) return undefined;
    return userError('forbidden', 'room.missing', {
      permissions: { list: missing },
      channel: channelMention(room),
    });
  };
  const restrictionsAt = (
    { isSuppressed, isMuted, isDeafened }: VoiceState,
    room: Channel,
  ): Restrictions => {
    const suppressed = isSuppressed ? (lacking(room) ?? inAudience()) : undefined;
    return {
      speaking: isMuted ? muted() : suppressed,
      hearing: isDeafened ? deafened() : undefined,
    };
  };
  /** Throws `unsupported` without voice, and `forbidden` with the missing permissions. */
  const demandRoom = (room: Channel): string => {
    const guildId = guildIdOf(room);
    const found = findIn(clientOf(room), room);
    if (guildId === undefined || !found?.isVoiceBased()) throw noVoice();
    const fault = lacking(room);
    if (fault) throw fault;
    const isFull = found.userLimit > 0 && others(room).length >= found.userLimit;
    if (isFull && !mayJoinFull(clientOf(room), room)) throw full();
    return guildId;
  };

  const port: VoicePort = {
    editRate: EDIT_RATE,
    ownName: ({ id }) => {
      const me = clients.here(id)?.guilds.cache.get(id)?.members.me;
      return me?.displayName ?? application().name;
    },
    localeOf: ({ id }) => clients.here(id)?.guilds.cache.get(id)?.preferredLocale ?? 'en',
    roomOf: ({ id }, memberId) => {
      const channelId = presence.channelOf(id, memberId);
      return channelId === undefined ? undefined : channelOf(id, channelId);
    },
    present: others,
    missing: (room) => missingForVoice(clientOf(room), room),
    demandRoom: (room) => void demandRoom(room),
    join: async (room, listener, signal) => {
      const guildId = demandRoom(room);
      const { openVoiceConnection } = await loadLink();
      signal.throwIfAborted();
      // The library has one connection per server: it is ended before another one begins, synchronously.
      links.get(guildId)?.end();
      const link = openVoiceConnection(room, {
        group,
        ownId: botId,
        gateway,
        presentIn: others,
        clock,
        listener: guardListener(listener, log, clock.nowMs),
        restrictionsAt,
        refusalOf: lacking,
        over: () => links.delete(guildId),
      });
      links.set(guildId, link);
      await link.joined(signal);
      return link;
    },
  };

  return {
    port,
    listen: (on: On, client: Client, id: string): void => {
      botId = id;
      gateway.listen(on, id, (guildId) => (clients.here(guildId) ?? client) === client);
      presence.listen(on);
    },
    /** Ends what is done in servers whose connection is closed. */
    leave: async (guildIds: readonly string[]): Promise<void> => {
      const spaces = guildIds.filter((id) => links.has(id));
      await Promise.all(spaces.map((id) => rooms.spaceMoves({ platform: PLATFORM, id })));
    },
    /** Drops servers whose connection is closed; they may be on another one. */
    forget: (guildIds: readonly string[]): void => {
      for (const id of guildIds) {
        rooms.spaceLost({ platform: PLATFORM, id });
        gateway.forget(id);
        if (!clients.here(id)) presence.forget(id);
        else void rooms.spaceReady({ platform: PLATFORM, id });
      }
    },
    stop: (): void => {
      for (const link of links.values()) link.stop();
      gateway.stop();
    },
  };
};
