import { createVoiceSession, type RoomDeps } from './session.ts';
import { AppError, toAppError, userError } from '../errors.ts';
import type { Channel } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import { map } from '../rich-text/walk.ts';
import type { Platform } from '../ports/platform.ts';
import type { Room } from './room-types.ts';
import { createAttendance } from './attendance.ts';
import { waitUntil, type Clock } from '../async/clock.ts';
import type { ConsentChoice, RoomChoices } from '../model/space-choices.ts';
import type { StoredRoom } from '../model/stored-room.ts';
import type { Tenure } from '../ports/leases.ts';
import type { OpenRooms } from '../store/open-rooms.ts';
import { platformInCharge } from './platform-in-charge.ts';
import { createRoomKeeper } from './room-keeper.ts';
import { createStatusMessages, createLinkStatus } from './status-messages.ts';
import type { LinkListener, VoiceLink, VoicePort } from '../ports/voice.ts';
import { createRestrictionStatus } from './restrictions.ts';
import { createSpeaking } from './tts/speaking.ts';
import { createRoomTexts, type RoomTexts } from './texts.ts';

/**
 * The reason for leaving a room: somebody asked for it, or disconnected the bot; nobody was there; the
 * connection was lost for good; the bot had joined by itself and is not wanted any more; the program ends, or
 * gives the room to another process; another process may be in charge already.
 */
export type LeaveReason =
  | 'requested'
  | 'thrown out'
  | 'empty'
  | 'lost'
  | 'unwanted'
  | 'stopping'
  | 'moved';

export interface RoomStart {
  readonly channel: Channel;
  readonly locale: string;
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly choices: RoomChoices;
  /** The right to be in a room of the space, over all processes. */
  readonly tenure: Tenure;
  readonly rows: OpenRooms;
  /** True while nobody has asked for the bot. */
  readonly isAutomatic: () => boolean;
  /** The room as it was stored before a restart, when the bot comes back to it. */
  readonly restored: StoredRoom | undefined;
  /** Aborted when joining is no longer wanted. */
  readonly signal: AbortSignal;
  /** Called when the room is over and all its work has ended. */
  readonly ended: (room: OpenRoom, reason: LeaveReason) => void;
}

/** A room as the core handles it. */
export interface OpenRoom extends Room {
  /** True when the room is over or closing: it accepts nothing more. */
  readonly isOver: boolean;
  peopleChanged(): void;
  readonly chosen: (memberId: string, choice: ConsentChoice) => void;
  /** Drops a member who opted out of everything: they are neither listened to nor read aloud. */
  readonly forget: (memberId: string) => void;
  choicesChanged(choices: RoomChoices): void;
  /** Stores the room, so that the bot comes back after a restart; resolves when that is done. */
  readonly keep: () => Promise<void>;
  /** Tries again what was refused: permissions may have changed. */
  readonly retry: () => void;
  /** Must be called when what is kept has changed. */
  readonly keptChanged: () => void;
  /** Posts a note on the state of the room. */
  readonly note: (content: Content) => Promise<boolean>;
  readonly texts: RoomTexts;
  /** Closes the room; the first reason counts. Resolves when all its work has ended. */
  close(reason: LeaveReason): Promise<void>;
  /** The words that are read aloud for files of a message. */
  readonly filesText: (count: number) => string;
}

const JOIN_MS = 20_000;
/** Longest wait for the database at the end of a room. */
const STORING_MS = 1_000;

const none = (): AppError => userError('not-found', 'room.none');
const notJoined = (): AppError =>
  userError('unavailable', 'room.not-joined', {}, { retryable: true });

const join = async (
  { port, channel, signal }: RoomStart,
  listener: LinkListener,
  clock: Clock,
): Promise<VoiceLink> => {
  const late = new AbortController();
  const cancel = clock.after(JOIN_MS, () => late.abort(notJoined()));
  try {
    signal.throwIfAborted();
    return await port.join(channel, listener, AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
};

/** Joins a room; resolves when the bot is there. */
export const openRoom = async (start: RoomStart, deps: RoomDeps): Promise<OpenRoom> => {
  const { port, tenure } = start;
  const { services, clock, log, now } = deps;
  const texts = createRoomTexts(deps.texts, start.locale, start.platform.naming ?? 'plain');
  const over = new AbortController();
  const reason = Promise.withResolvers<LeaveReason>();
  let { choices } = start;
  let link: VoiceLink | undefined;
  /** True when the program ends: then the bot comes back if it starts again soon. */
  let isStopping = false;
  /** True when another process may be in charge: then nothing more is shown or stored. */
  let hasMoved = false;

  /** True once the room was left in order: what is under way is still shown. */
  let isLeft = false;

  const assertInCharge = (): void => {
    if (hasMoved) throw new AppError('cancelled', 'another process may be in charge of the room');
    tenure.assertHeld();
  };
  const platform = platformInCharge(start.platform, assertInCharge, () => {
    if (!isLeft) assertInCharge();
  });

  /** Ends the room; the first reason counts, and none after the tenure. */
  const end = (given: LeaveReason): void => {
    if (over.signal.aborted) return;
    hasMoved = given === 'moved' || !tenure.isHeld();
    over.abort(none());
    reason.resolve(hasMoved ? 'moved' : given);
  };

  const channel = (): Channel => link?.channel ?? start.channel;
  const keeper = createRoomKeeper({
    rows: start.rows,
    tenure,
    clock,
    now,
    current: () => ({
      channel: channel(),
      locale: start.locale,
      isAutomatic: start.isAutomatic(),
      ...session.stored(),
    }),
    log,
  });
  const messages = createStatusMessages({ platform, channel, log });
  const attendance = createAttendance({
    clock,
    present: () => port.present(channel()),
    empty: () => end('empty'),
  });
  const { nameOf, knownName } = attendance;
  const linkStatus = createLinkStatus({ clock, attendance, messages, texts });
  const restrictions = createRestrictionStatus({ clock, messages, texts });
  const speaking = createSpeaking({
    services,
    clock,
    now,
    play: async (packets, signal) => link?.play(packets, signal),
    channel,
    named: async (text) => {
      const named = await platform.feed?.named(channel(), text).catch(() => undefined);
      return map(named ?? text, (node) => {
        if (node.kind !== 'mention' || node.target !== 'member') return node;
        const name = knownName(node.id);
        return name === undefined ? node : { ...node, name };
      });
    },
    texts,
    messages,
    spoke: (item) => void session.spoke(item),
    log,
  });
  const session = createVoiceSession({
    ...deps,
    platform,
    port,
    channel,
    subscribe: (memberIds) => link?.subscribe(memberIds),
    choices: () => choices,
    attendance,
    speaking,
    messages,
    roomTexts: texts,
    signal: over.signal,
    mayReturn: () => isStopping,
    informed: start.restored?.informed,
    storedChanged: keeper.changed,
  });

  const { captioning } = session;

  const peopleChanged = (): void => {
    attendance.update();
    linkStatus.peopleChanged();
    session.peopleChanged();
  };
  const tellEnd = async (error: AppError): Promise<void> => {
    const content: Content = { text: texts.ended(error), tone: 'error' };
    if (!(await messages.post(content))) await captioning.tellStarter(content);
  };
  const listener: LinkListener = {
    packet: session.packet,
    moved: () => {
      linkStatus.moved();
      peopleChanged();
      captioning.moved();
      keeper.changed();
    },
    audible: linkStatus.audible,
    missed: linkStatus.missed,
    restricted: (restricted) => {
      restrictions.set(restricted);
      speaking.hold(restricted.speaking !== undefined);
    },
    connected: linkStatus.connected,
    ended: (error) => {
      if (error?.code === 'cancelled') return end('stopping');
      if (error && !over.signal.aborted) void tellEnd(error);
      end(error ? 'lost' : 'thrown out');
    },
  };

  /** The error that would keep the bot out now, except that the room is full. */
  const shut = (): AppError | undefined => {
    try {
      port.demandRoom(channel());
      return undefined;
    } catch (thrown) {
      const error = toAppError(thrown);
      return error.code === 'forbidden' ? error : undefined;
    }
  };
  const faults = (): readonly AppError[] => {
    const { speaking: mute, hearing } = restrictions.told();
    const all = [mute, hearing, captioning.fault(), shut()].filter((fault) => fault !== undefined);
    return [...new Map(all.map((fault) => [JSON.stringify(fault.sentence), fault])).values()];
  };

  const room: OpenRoom = {
    get channel() {
      return channel();
    },
    get captions() {
      return session.captions();
    },
    get isOver() {
      return over.signal.aborted;
    },
    get hasRecord() {
      return captioning.hasRecord();
    },
    people: attendance.everHere,
    health: () =>
      (link?.stats() ?? []).map((stats) => ({ ...stats, name: nameOf(stats.memberId) })),
    faults,
    withheld: session.withheld,
    startCaptions: session.startCaptions,
    setLanguages: session.setLanguages,
    stopCaptions: session.stopCaptions,
    transcript: captioning.transcript,
    summary: (language, assistant, signal) => captioning.summary(language, assistant, signal),
    say: async (request) => {
      over.signal.throwIfAborted();
      const { speaking: fault } = restrictions.told();
      if (fault && request.kind === 'say') throw fault;
      return speaking.say(request);
    },
    queue: speaking.queue,
    skip: speaking.skip,
    stopSpeaking: speaking.stop,
    pause: speaking.pause,
    listenTo: session.listenTo,
    recentCaptions: captioning.recent,
    leave: () => room.close('requested'),
    close: async (given) => {
      end(given);
      await closing;
    },
    filesText: texts.files,
    peopleChanged,
    chosen: session.chosen,
    forget: (memberId) => {
      session.chosen(memberId, 'refused');
      speaking.forget(memberId);
      captioning.forgetStarter(memberId);
      keeper.changed();
    },
    keep: keeper.begin,
    keptChanged: keeper.changed,
    retry: session.retry,
    note: messages.post,
    texts,
    choicesChanged: (changed) => {
      choices = changed;
      session.choicesChanged(changed);
    },
  };

  const storeEnd = async (given: LeaveReason): Promise<void> => {
    if (given === 'moved') return keeper.stop();
    return given === 'stopping' ? keeper.leaveRow() : keeper.removeRow();
  };
  const close = async (): Promise<void> => {
    const given = await reason.promise;
    isStopping = given === 'stopping';
    const stored = storeEnd(given);
    attendance[Symbol.dispose]();
    linkStatus[Symbol.dispose]();
    restrictions[Symbol.dispose]();
    try {
      await session[Symbol.asyncDispose]();
      if (given === 'empty') await messages.post(texts.status('room.left'));
      await speaking[Symbol.asyncDispose]();
      await link?.[Symbol.asyncDispose]();
      // A database that does not answer keeps the bot in no room.
      await waitUntil(clock, clock.nowMs() + STORING_MS, stored);
    } finally {
      isLeft = !hasMoved && tenure.isHeld();
      start.ended(room, given);
    }
  };
  const closing = close();

  link = await join(start, listener, clock);
  peopleChanged();
  session.choicesChanged(choices);
  return room;
};
