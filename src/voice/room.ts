import { type RoomDeps } from './room-deps.ts';
import { type AppError, userError } from '../errors.ts';
import type { Channel } from '../model/place.ts';
import type { Platform } from '../ports/platform.ts';
import type { Room } from './service.ts';
import type { RoomChoices } from '../model/space-choices.ts';
import { createAttendance } from './attendance.ts';
import { createVoiceSession } from './session.ts';
import type { Clock } from '../async/clock.ts';
import type { ConsentChoice } from './consent/consent.ts';
import { mentionsIn } from '../text/markup/mentions.ts';
import { mentionedName } from './mentioned-name.ts';
import { createStatusMessages } from './status-messages.ts';
import type { LinkListener, VoiceLink, VoicePort } from '../ports/voice.ts';
import { createLinkStatus } from './link-status.ts';
import { createSpeaking } from './tts/speaking.ts';
import { createRoomTexts } from './texts.ts';

/**
 * Why we are in a room no more: somebody told us to leave, or threw us out; nobody was there; the
 * connection was lost for good; we were there by ourselves and are not wanted; the program ends.
 */
export type LeaveReason = 'told' | 'thrown out' | 'empty' | 'lost' | 'unwanted' | 'stopping';

export interface RoomStart {
  readonly channel: Channel;
  readonly locale: string;
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly choices: RoomChoices;
  /** Aborted when nobody waits for us there any more. */
  readonly signal: AbortSignal;
  /** It is over, and nothing of it runs any more. */
  readonly ended: (room: OpenRoom, reason: LeaveReason) => void;
}

/** A room as the core itself handles it. */
export interface OpenRoom extends Room {
  /** It is over, or about to be: nothing more is taken on. */
  readonly isOver: boolean;
  peopleChanged(): void;
  /** What somebody chose about being heard. */
  readonly chosen: (memberId: string, choice: ConsentChoice) => void;
  /** Somebody opted out of everything: is not heard, and nothing of theirs is said aloud. */
  readonly forget: (memberId: string) => void;
  choicesChanged(choices: RoomChoices): void;
  /** Resolves when nothing of it runs any more; the first reason counts. */
  close(reason: LeaveReason): Promise<void>;
  /** How files are spoken of that stand with a message. */
  readonly filesInWords: (count: number) => string;
}

const JOIN_MS = 20_000;

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

/** Joins a room; resolves when we are there. */
export const openRoom = async (start: RoomStart, deps: RoomDeps): Promise<OpenRoom> => {
  const { platform, port } = start;
  const { services, clock, log, now } = deps;
  const texts = createRoomTexts(deps.texts, start.locale, platform.naming ?? 'plain');
  const over = new AbortController();
  let { choices } = start;
  let link: VoiceLink | undefined;
  let closing: Promise<void> | undefined;

  const channel = (): Channel => link?.channel ?? start.channel;
  const notes = createStatusMessages({ platform, channel, log });
  const attendance = createAttendance({
    clock,
    present: () => port.present(channel()),
    empty: () => void room.close('empty'),
  });
  const { nameOf, knownName } = attendance;
  const reception = createLinkStatus({ clock, attendance, notes, texts });
  const speaking = createSpeaking({
    services,
    clock,
    now,
    play: async (packets, signal) => link?.play(packets, signal),
    channel,
    mentioned: async (text) => {
      const asking = platform.feed?.names(channel(), mentionsIn(text));
      const names = await asking?.catch(() => undefined);
      return (mention) =>
        mentionedName(
          mention,
          (kind, id) => (kind === 'member' ? knownName(id) : undefined) ?? names?.(kind, id),
        );
    },
    texts,
    notes,
    log,
  });
  const attention = createVoiceSession({
    ...deps,
    platform,
    port,
    channel,
    hear: (memberIds) => link?.hear(memberIds),
    choices: () => choices,
    attendance,
    speaking,
    notes,
    roomTexts: texts,
    signal: over.signal,
  });

  const peopleChanged = (): void => {
    attendance.look();
    reception.peopleChanged();
    attention.peopleChanged();
  };
  const listener: LinkListener = {
    packet: attention.packet,
    moved: () => {
      reception.moved();
      peopleChanged();
      attention.moved();
    },
    audible: reception.audible,
    missed: reception.missed,
    connected: reception.connected,
    ended: (error) => {
      if (error && !over.signal.aborted)
        void notes.post({ text: texts.ended(error), tone: 'error' });
      void room.close(error ? 'lost' : 'thrown out');
    },
  };

  const close = async (reason: LeaveReason): Promise<void> => {
    over.abort(none());
    attendance[Symbol.dispose]();
    reception[Symbol.dispose]();
    try {
      await attention[Symbol.asyncDispose]();
      if (reason === 'empty') await notes.post(texts.note('room.left'));
      await speaking[Symbol.asyncDispose]();
      await link?.[Symbol.asyncDispose]();
    } finally {
      start.ended(room, reason);
    }
  };

  const room: OpenRoom = {
    get channel() {
      return channel();
    },
    get captions() {
      return attention.captions;
    },
    get isOver() {
      return over.signal.aborted;
    },
    get hasRecord() {
      return attention.hasRecord();
    },
    people: attendance.everHere,
    health: () =>
      (link?.stats() ?? []).map((stats) => ({ ...stats, name: nameOf(stats.memberId) })),
    startCaptions: attention.startCaptions,
    setLanguages: attention.setLanguages,
    stopCaptions: attention.stopCaptions,
    transcript: attention.transcript,
    summary: attention.summary,
    say: async (saying) => {
      over.signal.throwIfAborted();
      return speaking.say(saying);
    },
    queue: speaking.queue,
    skip: speaking.skip,
    silence: speaking.stop,
    pause: speaking.pause,
    listenTo: attention.listenTo,
    talk: attention.talk,
    leave: () => room.close('told'),
    close: async (reason) => {
      closing ??= close(reason);
      await closing;
    },
    filesInWords: texts.files,
    peopleChanged,
    chosen: attention.chosen,
    forget: (memberId) => {
      attention.chosen(memberId, 'unheard');
      speaking.forget(memberId);
    },
    choicesChanged: (changed) => {
      choices = changed;
      attention.choicesChanged();
    },
  };

  link = await join(start, listener, clock);
  peopleChanged();
  attention.choicesChanged();
  return room;
};
