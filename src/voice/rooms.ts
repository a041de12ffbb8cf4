import { MINUTE_MS } from '../async/clock.ts';
import { AppError } from '../errors.ts';
import { type Person, keyOf, type Space } from '../model/place.ts';
import { isQuiet } from '../model/space.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Leases } from '../ports/processes.ts';
import type { Platform } from '../ports/platform.ts';
import type { RoomWatcher } from '../ports/voice.ts';
import type { RoomConsents } from '../store/settings.ts';
import { createAutoJoin } from './auto-join.ts';
import { createConsentChoices } from './consent/choices.ts';
import { declareVoiceMetrics } from './metrics.ts';
import { createRejoin } from './rejoin.ts';
import { createRoomEntry } from './room-entry.ts';
import type { Rooms } from './room-types.ts';
import type { OpenRoom, RoomDeps } from './room.ts';
import { createReadAloud } from './tts/read-aloud.ts';

export interface RoomsDeps extends Omit<RoomDeps, 'choiceOf' | 'captionShown' | 'wordless'> {
  readonly metrics: Metrics;
  readonly consents: RoomConsents;
  readonly platformOf: (name: string) => Platform | undefined;
  readonly leases: Leases;
}

/** Time for which captions stay in memory after the bot left their room. */
export const RECORD_MS = 30 * MINUTE_MS;

/** Creates the voice rooms of all spaces. */
export const createRooms = (deps: RoomsDeps) => {
  const { services, platformOf, rows, clock, now, log } = deps;
  /** Rooms that are over, while their captions are in memory. */
  const ended = new Map<string, { readonly room: OpenRoom; readonly drop: () => void }>();
  const over = new AbortController();
  const consentChoices = createConsentChoices({
    consents: deps.consents,
    privacy: services.privacy,
    chosen: (space, memberId, choice) => {
      for (const at of [entry.of(space), ended.get(keyOf(space))])
        at?.room.chosen(memberId, choice);
    },
  });
  const voiceMetrics = declareVoiceMetrics(deps.metrics, () => entry.all().map(({ room }) => room));
  const entry = createRoomEntry({
    roomDeps: {
      ...deps,
      choiceOf: consentChoices.of,
      captionShown: voiceMetrics.captionShown,
      wordless: voiceMetrics.wordless,
    },
    platformOf,
    leases: deps.leases,
    signal: over.signal,
  });
  const rooms = (): readonly OpenRoom[] =>
    [...entry.all(), ...ended.values()].map(({ room }) => room);

  const autoJoin = createAutoJoin({
    clock,
    isPeopled: entry.isPeopled,
    mayJoin: async (room) => {
      const choices = await services.spaces.of(room.space);
      if (!choices.rooms.joins.includes(room.id) || isQuiet(room, choices)) return false;
      return (await services.limits.fault(room, 'audio')) === undefined;
    },
    chosenIn: async (space) =>
      (await services.spaces.of(space)).rooms.joins.map((id) => ({ space, id })),
    isBusy: (space) => entry.of(space) !== undefined || rejoin.isUnderWay(space),
    join: async (channel) => {
      const { space } = channel;
      const locale = entry.portOf(space).port.localeOf(space);
      const room = await entry.enter(channel, locale, 'automatic');
      if (room.channel.id !== channel.id) return;
      try {
        const { languages } = (await services.spaces.of(space)).rooms;
        await room.startCaptions({ languages });
      } catch (thrown) {
        // Somebody else started captions.
        if (room.captions) return;
        await room.close('unwanted');
        throw thrown;
      }
    },
    log,
  });
  const rejoin = createRejoin({
    rows,
    entry,
    texts: deps.texts,
    clock,
    now,
    notBack: autoJoin.consider,
    log,
  });
  entry.onEnded((room, reason) => {
    const { channel } = room;
    const key = keyOf(channel.space);
    voiceMetrics.roomEnded(room);
    if (room.hasRecord) {
      ended.get(key)?.drop();
      const drop = clock.after(RECORD_MS, () => ended.delete(key));
      ended.set(key, { room, drop });
    }
    // Where the space is still known here, nobody else comes back to it.
    if (reason === 'moved' && entry.isPeopled(channel)) void rejoin.spaceReady(channel.space);
    autoJoin.roomEnded(channel, reason);
  });

  const readAloud = createReadAloud({
    services,
    roomOf: (space) => entry.of(space)?.room,
    log,
  });

  return {
    rooms: {
      roomOf: (space, memberId) => platformOf(space.platform)?.voice?.roomOf(space, memberId),
      missing: (room) => entry.portOf(room.space).port.missing(room),
      of: (space) => entry.of(space)?.room,
      readingOf: readAloud.readingOf,
      lastRecord: (space) => ended.get(keyOf(space))?.room,
      join: (channel, locale, mayLeave) =>
        entry.enter(channel, locale, mayLeave ? 'moved' : 'requested'),
      choose: consentChoices.choose,
    } satisfies Rooms,
    watcher: {
      spaceReady: rejoin.spaceReady,
      spaceMoves: async (space) => entry.of(space)?.room.close('stopping'),
      spaceLost: (space) => {
        rejoin.spaceLost(space);
        void entry.of(space)?.room.close('moved');
      },
      peopleChanged: (channel) => {
        entry.of(channel.space)?.room.peopleChanged();
        autoJoin.peopleChanged(channel);
      },
      reads: (channel) => {
        const room = entry.of(channel.space)?.room;
        return room ? room.readsAloud(channel) || room.captionsChat(channel) : false;
      },
      wrote: readAloud.wrote,
    } satisfies RoomWatcher,
    /** Drops a member who opted out of everything or whose data is erased; takes effect at once. */
    forget: ({ platform, id }: Person): void => {
      consentChoices.lookUpAgain();
      for (const room of rooms()) if (room.channel.space.platform === platform) room.forget(id);
    },
    /** Lets a member take part again: their choice for each space counts from now on. */
    optedIn: async ({ platform, id }: Person): Promise<void> => {
      for (const { room } of entry.all())
        if (room.channel.space.platform === platform)
          room.chosen(id, await consentChoices.of(room.channel.space, id));
    },
    /** Tries again what was refused in a space: permissions may have changed. */
    accessChanged: (space: Space): void => entry.of(space)?.room.retry(),
    /** Ends what goes on in a space that the bot was removed from, and drops the transcript. */
    spaceLeft: async (space: Space): Promise<void> => {
      const key = keyOf(space);
      const here = entry.of(space);
      await here?.room.close('unwanted');
      // Its lease has the name of the space.
      await here?.tenure.release();
      ended.get(key)?.drop();
      ended.delete(key);
    },
    /** Applies changed choices; must be called when the choices of a space have changed, or those of any. */
    choicesChanged: async (only: Space | undefined): Promise<void> => {
      const spaces = entry.all().map(({ room }) => room.channel.space);
      for (const space of only ? [only] : spaces) {
        await entry.applyChoices(space);
        autoJoin.choicesChanged(space);
      }
    },
    /** Reads the choices of all who are or were present anew: changes of them may have been missed. */
    lookAgain: async (): Promise<void> => {
      consentChoices.lookUpAgain();
      for (const room of rooms())
        for (const id of room.people) {
          const { space } = room.channel;
          const isOut = await services.privacy.optedOut({ platform: space.platform, id });
          if (isOut) room.forget(id);
          else room.chosen(id, await consentChoices.of(space, id));
        }
    },
    [Symbol.asyncDispose]: async () => {
      over.abort(new AppError('cancelled', 'the program is ending'));
      rejoin[Symbol.dispose]();
      autoJoin[Symbol.dispose]();
      await Promise.allSettled(entry.all().map(async ({ room }) => room.close('stopping')));
      for (const { drop } of ended.values()) drop();
      ended.clear();
    },
  };
};
