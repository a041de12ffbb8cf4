import { type Clock, waitUntil, withTimeout } from '../async/clock.ts';
import { type AppError, toAppError, userError } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Content, Message } from '../model/message.ts';
import type { Channel, Space } from '../model/place.ts';
import type { ConsentChoice, RoomChoices, StoredRoom } from '../model/room.ts';
import type { Tenure } from '../ports/processes.ts';
import type { Platform } from '../ports/platform.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import type { LinkListener, VoiceLink, VoicePort } from '../ports/voice.ts';
import type { OpenRooms } from '../store/open-rooms.ts';
import type { Log } from '../telemetry/log.ts';
import { createAttendance } from './attendance.ts';
import { createCaptioning, createSpokenCaptions } from './captions/captioning.ts';
import { createWrittenCaptions } from './captions/written-captions.ts';
import { createLinkStatus, createRestrictionStatus } from './link-status.ts';
import { createHearing } from './hearing.ts';
import type { RoomContext, Room, VoiceServices } from './room-types.ts';
import { createRoomEnd, type LeaveReason } from './room-end.ts';
import { createRoomKeeper } from './room-keeper.ts';
import { createVoiceSession } from './session.ts';
import { createStatusMessages } from './status-messages.ts';
import { createRoomTexts, type RoomTexts } from './texts.ts';
import { createSpeaking } from './tts/speaking.ts';

export interface RoomDeps {
  readonly services: VoiceServices;
  readonly createRecogniser: RecogniserFactory;
  readonly choiceOf: (space: Space, memberId: string) => Promise<ConsentChoice>;
  readonly rows: OpenRooms;
  readonly texts: Texts;
  readonly log: Log;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Takes the time from the end of speech to its caption in the channel. */
  readonly captionShown: (lagMs: number) => void;
  /** Counts clear speech in which the recogniser found no words. */
  readonly wordless: () => void;
  /** True of a channel with auto-translate. */
  readonly isWatched: (channel: Channel) => boolean;
}

export interface RoomStart {
  readonly channel: Channel;
  readonly locale: string;
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly choices: RoomChoices;
  /** The right to be in a room of the space, over all processes. */
  readonly tenure: Tenure;
  /** True while nobody has asked for the bot. */
  readonly isAutomatic: () => boolean;
  /** The room as it was stored before a restart, when the bot comes back to it. */
  readonly restored: StoredRoom | undefined;
  /** Aborted when the bot is not to join any more. */
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
  readonly store: () => Promise<void>;
  /** Must be called when what is stored has changed. */
  readonly storedChanged: () => void;
  /** Tries again what was refused: permissions may have changed. */
  readonly retry: () => void;
  /** True of a channel whose messages are read aloud here. */
  readonly readsAloud: (channel: Channel) => boolean;
  /** True of the room's own chat while captions are on. */
  readonly captionsChat: (channel: Channel) => boolean;
  /**
   * Captions a message of the room's own chat.
   *
   * @param isReadAloud true where its text is spoken, and captioned with that
   */
  readonly wrote: (message: Message, isReadAloud: boolean) => void;
  /** Posts a note on the state of the room. */
  readonly note: (content: Content) => Promise<boolean>;
  readonly texts: RoomTexts;
  /** Closes the room; the first reason counts. Resolves when all its work has ended. */
  close(reason: LeaveReason): Promise<void>;
}

const JOIN_MS = 20_000;
/** Longest wait for the database at the end of a room. */
const STORING_MS = 1_000;

export const notJoined = (): AppError =>
  userError('unavailable', 'room.not-joined', {}, { retryable: true });

/** The error that would keep the bot out of a room now, except that the room is full. */
const exclusion = (port: VoicePort, channel: Channel): AppError | undefined => {
  try {
    port.demandRoom(channel);
    return undefined;
  } catch (thrown) {
    const error = toAppError(thrown);
    return error.code === 'forbidden' ? error : undefined;
  }
};

/** The errors that there are, each sentence once. */
const distinct = (errors: readonly (AppError | undefined)[]): readonly AppError[] => {
  const found = errors.filter((error) => error !== undefined);
  return [...new Map(found.map((error) => [JSON.stringify(error.sentence), error])).values()];
};

/** Joins a room; resolves when the bot is there. */
export const openRoom = async (start: RoomStart, deps: RoomDeps): Promise<OpenRoom> => {
  const { port, tenure } = start;
  const { space } = start.channel;
  const { services, clock, now, log } = deps;
  let { choices } = start;
  let link: VoiceLink | undefined;
  const { platform, signal, ended, end, mayReturn, finished } = createRoomEnd(
    tenure,
    start.platform,
  );
  const channel = (): Channel => link?.channel ?? start.channel;
  const texts = createRoomTexts(deps.texts, start.locale, start.platform.naming ?? 'plain');
  const messages = createStatusMessages({ platform, channel, log });
  const context: RoomContext = {
    services,
    platform,
    channel,
    choices: () => choices,
    texts,
    messages,
    clock,
    now,
    signal,
    log,
  };
  const keeper = createRoomKeeper({ rows: deps.rows, tenure, space, clock, now, log });
  const attendance = createAttendance({
    clock,
    present: () => port.present(channel()),
    empty: () => end('empty'),
  });
  const { nameOf } = attendance;
  const choiceOf = (memberId: string) => deps.choiceOf(space, memberId);
  const captioning = createCaptioning({
    room: context,
    editRate: port.editRate,
    nameOf,
    captionShown: deps.captionShown,
    mayReturn,
  });
  const linkStatus = createLinkStatus({ room: context, attendance, captioning });
  const restrictions = createRestrictionStatus(context, captioning);
  const ownName = () => port.ownName(space);
  const spoke = createSpokenCaptions({ room: context, captioning, ownName, choiceOf });
  const speaking = createSpeaking({
    room: context,
    attendance,
    play: async (packets, aborted) => link?.play(packets, aborted),
    spoke: (item) => void spoke(item),
  });
  const session = createVoiceSession({
    room: context,
    port,
    attendance,
    captioning,
    speaking,
    createRecogniser: deps.createRecogniser,
    choiceOf,
    subscribe: (memberIds) => link?.subscribe(memberIds),
    informed: start.restored?.informed,
    storedChanged: keeper.changed,
    wordless: deps.wordless,
  });

  const hearingOf = createHearing({
    isHere: (memberId) => attendance.here().some(({ id }) => id === memberId),
    optedOut: (id) => services.privacy.optedOut({ platform: space.platform, id }),
    choiceOf,
    rule: () => choices.consent,
    areCaptionsOn: () => session.captions() !== undefined,
    isCaptioned: session.isCaptioned,
    link: linkStatus,
  });
  const written = createWrittenCaptions({
    room: context,
    captioning,
    isCaptioned: session.isCaptioned,
    isWatched: deps.isWatched,
  });
  const captionsChat = ({ id }: Channel): boolean =>
    id === channel().id && session.captions() !== undefined;

  const peopleChanged = (): void => {
    attendance.update();
    linkStatus.peopleChanged();
    session.peopleChanged();
  };
  const postFailure = async (error: AppError): Promise<void> => {
    const content: Content = { text: texts.reason(error), tone: 'error' };
    if (!(await messages.post(content))) await captioning.notifyStarter(content);
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
      if (error && !signal.aborted) void postFailure(error);
      end(error ? 'lost' : 'thrown out');
    },
  };

  const closed = Promise.withResolvers<void>();
  const close = async (reason: LeaveReason): Promise<void> => {
    end(reason);
    await closed.promise;
  };
  const room: OpenRoom = {
    get channel() {
      return channel();
    },
    get captions() {
      return session.captions();
    },
    get isOver() {
      return signal.aborted;
    },
    get hasRecord() {
      return captioning.hasRecord();
    },
    people: attendance.everHere,
    health: () =>
      (link?.stats() ?? []).map((stats) => ({ ...stats, name: nameOf(stats.memberId) })),
    faults: () => {
      const shown = restrictions.shown();
      const others = [captioning.fault(), exclusion(port, channel())];
      return distinct([shown.speaking, shown.hearing, ...others]);
    },
    withheld: session.withheld,
    hearing: async (memberId) => ({
      state: await hearingOf(memberId),
      withheld: session.withheldOf(memberId),
    }),
    startCaptions: session.startCaptions,
    setLanguages: session.setLanguages,
    stopCaptions: session.stopCaptions,
    transcript: captioning.transcript,
    summary: (language, assistant, aborted) => captioning.summary(language, assistant, aborted),
    say: async (request) => {
      signal.throwIfAborted();
      const { speaking: fault } = restrictions.shown();
      if (fault && request.kind === 'say') throw fault;
      return speaking.say(request);
    },
    queue: speaking.queue,
    skip: speaking.skip,
    stopSpeaking: speaking.stop,
    pause: speaking.pause,
    listenTo: session.listenTo,
    recentCaptions: captioning.recent,
    leave: () => close('requested'),
    close,
    peopleChanged,
    chosen: session.chosen,
    forget: (memberId) => {
      session.chosen(memberId, 'refused');
      speaking.forget(memberId);
      captioning.forgetStarter(memberId);
      keeper.changed();
    },
    store: () =>
      keeper.begin(() => ({
        channel: channel(),
        locale: start.locale,
        isAutomatic: start.isAutomatic(),
        ...session.stored(),
      })),
    storedChanged: keeper.changed,
    retry: session.retry,
    readsAloud: ({ id }) => choices.readAloud.includes(id),
    captionsChat,
    wrote: (message, isReadAloud) => {
      if (!captionsChat(message.ref.channel)) return;
      if (!isReadAloud) written.text(message);
      written.voice(message);
    },
    note: messages.post,
    texts,
    choicesChanged: (changed) => {
      choices = changed;
      session.choicesChanged(changed);
    },
  };

  const storeEnd = async (reason: LeaveReason): Promise<void> => {
    if (reason === 'moved') return keeper.stop();
    return reason === 'stopping' ? keeper.leaveRow() : keeper.removeRow();
  };
  const finish = async (): Promise<void> => {
    const reason = await ended;
    const stored = storeEnd(reason);
    attendance[Symbol.dispose]();
    linkStatus[Symbol.dispose]();
    restrictions[Symbol.dispose]();
    try {
      await session[Symbol.asyncDispose]();
      if (reason === 'empty') await messages.post(texts.note('room.left'));
      await speaking[Symbol.asyncDispose]();
      await link?.[Symbol.asyncDispose]();
      // A database that does not answer keeps the bot in no room.
      await waitUntil(clock, clock.nowMs() + STORING_MS, stored);
    } finally {
      finished();
      start.ended(room, reason);
    }
  };
  void finish().then(closed.resolve, closed.reject);

  start.signal.throwIfAborted();
  const join = (aborted: AbortSignal) => port.join(start.channel, listener, aborted);
  link = await withTimeout(clock, JOIN_MS, notJoined, join, start.signal);
  peopleChanged();
  session.choicesChanged(choices);
  return room;
};
