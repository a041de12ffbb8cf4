import { MINUTE_MS } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import type { Content } from '../model/message.ts';
import type { Restrictions } from '../ports/voice.ts';
import { quotedWords } from '../text/quoted-words.ts';
import { sentence as inOneSentence } from '../rich-text/compose.ts';
import type { Attendance } from './attendance.ts';
import type { Captioning } from './captions/captioning.ts';
import type { RoomContext } from './room-types.ts';

type StatusContext = Pick<RoomContext, 'clock' | 'now' | 'messages' | 'texts'>;

/** A time in which nothing was received, on the room's clock. */
interface Gap {
  readonly startMs: number;
  readonly endMs: number;
}

/** Time in which the speakers of a room find out one after the other that packets of a gap are missing. */
const SAME_GAP_MS = 30_000;
/** Difference between the gap of a connection and that of a speaker's packets. */
const SAME_LENGTH_MS = 1_000;
/** Shortest time without a connection that people are told of: less loses no word. */
const SHORTEST_AWAY_MS = 1_000;
/** Time after a move in which a lost connection is not shown: the move interrupts it. */
const MOVE_MS = 5_000;

const topicOf = (memberId: string): string => `audible ${memberId}`;

interface LinkStatusDeps {
  readonly room: StatusContext;
  readonly attendance: Pick<Attendance, 'here' | 'nameOf'>;
  readonly captioning: Pick<Captioning, 'current'>;
}

export type LinkStatus = ReturnType<typeof createLinkStatus>;

const secondsOf = ({ startMs, endMs }: Gap): number => Math.round((endMs - startMs) / 1_000);

/**
 * Shows in a room when a speaker or the connection is lost, and when it is back. Where there are captions,
 * each gap is noted once, with its time and length, in the chat and in the transcript.
 */
export const createLinkStatus = ({ room, attendance, captioning }: LinkStatusDeps) => {
  const { clock, now, messages, texts } = room;
  const { here, nameOf } = attendance;
  const inaudible = new Set<string>();
  let awayMs: number | undefined;
  let isAwayShown = false;
  let noted: Gap | undefined;
  let cancel: (() => void) | undefined;
  let movedMs = Number.NEGATIVE_INFINITY;

  const nameParam = (memberId: string) => ({ name: quotedWords(nameOf(memberId)) });
  const settle = (memberId: string, key: 'room.hears-again' | 'room.left-unheard'): void => {
    if (!inaudible.delete(memberId)) return;
    void messages.settle(topicOf(memberId), texts.note(key, nameParam(memberId)));
  };
  const showAway = (sinceMs: number): void => {
    const shownMs = Math.max(sinceMs + SHORTEST_AWAY_MS, movedMs + MOVE_MS);
    const waitMs = shownMs - clock.nowMs();
    if (waitMs > 0) cancel = clock.after(waitMs, () => showAway(sinceMs));
    else {
      isAwayShown = true;
      void messages.show('connection', texts.note('room.reconnecting'));
    }
  };
  /** Marks a gap in the transcript; returns its note, or undefined where there are no captions. */
  const note = (gap: Gap): Content | undefined => {
    noted = gap;
    const session = captioning.current();
    const count = secondsOf(gap);
    session?.mark('room.gap-here', { ...gap, count });
    return session && texts.at('room.missed', now() - clock.nowMs() + gap.startMs, { count });
  };
  const reconnected = (gap: Gap): void => {
    const missing = gap.endMs - gap.startMs < SHORTEST_AWAY_MS ? undefined : note(gap);
    if (isAwayShown) {
      const { text } = texts.note('room.reconnected');
      const shown = missing ? inOneSentence(text, ' ', missing.text) : text;
      void messages.settle('connection', { text: shown, tone: 'note' });
    } else if (missing) void messages.post(missing);
    isAwayShown = false;
  };
  const isNoted = (ms: number, endMs: number): boolean =>
    noted !== undefined &&
    endMs - noted.endMs < SAME_GAP_MS &&
    ms <= noted.endMs - noted.startMs + SAME_LENGTH_MS;

  return {
    audible: (memberId: string | undefined, isAudible: boolean): void => {
      if (memberId === undefined) {
        const key = isAudible ? 'room.hears-everyone' : 'room.cannot-hear-someone';
        void messages[isAudible ? 'settle' : 'show']('audible', texts.note(key));
        return;
      }
      if (isAudible) return settle(memberId, 'room.hears-again');
      inaudible.add(memberId);
      const content = texts.note('room.cannot-hear', nameParam(memberId));
      void messages.show(topicOf(memberId), content);
    },
    connected: (isConnected: boolean): void => {
      cancel?.();
      const endMs = clock.nowMs();
      if (!isConnected) return showAway((awayMs ??= endMs));
      if (awayMs !== undefined) reconnected({ startMs: awayMs, endMs });
      awayMs = undefined;
    },
    /** True while the connection to the room is lost. */
    isAway: (): boolean => awayMs !== undefined,
    /** True of a member whose packets cannot be read. */
    isInaudible: (memberId: string): boolean => inaudible.has(memberId),
    moved: (): void => {
      movedMs = clock.nowMs();
    },
    missed: (ms: number): void => {
      const endMs = clock.nowMs();
      const missing = isNoted(ms, endMs) ? undefined : note({ startMs: endMs - ms, endMs });
      if (missing) void messages.post(missing);
    },
    peopleChanged: (): void => {
      const present = new Set(here().map(({ id }) => id));
      for (const memberId of inaudible.difference(present)) settle(memberId, 'room.left-unheard');
    },
    [Symbol.dispose]: (): void => cancel?.(),
  };
};

/** Time for which a restriction, or its end, has lasted before it is shown. */
const LASTS_MS = 3_000;
/** Time without a restriction after which the next one gets a message of its own. */
const CALM_MS = MINUTE_MS;

/** Shows one restriction in a message that is edited while it comes and goes. */
const createTopic = (
  kind: keyof Restrictions,
  { clock, messages, texts }: StatusContext,
  liftedNote: (gap: Gap) => Content,
) => {
  const topic = `restricted ${kind}`;
  let sinceMs = 0;
  let liftedMs = 0;
  let now: AppError | undefined;
  let shown: AppError | undefined;
  let cancel: (() => void) | undefined;

  const update = (): void => {
    const before = shown;
    shown = now;
    if (shown) {
      const content = { text: texts.reason(shown), tone: 'note' } as const;
      return void messages.show(topic, content);
    }
    if (!before) return;
    const lifted = liftedNote({ startMs: sinceMs, endMs: liftedMs });
    void messages.show(topic, lifted);
    cancel = clock.after(CALM_MS, () => void messages.settle(topic, lifted));
  };
  return {
    set: (fault: AppError | undefined): void => {
      if (fault?.sentence?.key === now?.sentence?.key) return;
      if (fault && !shown) sinceMs = clock.nowMs();
      if (!fault) liftedMs = clock.nowMs();
      now = fault;
      cancel?.();
      cancel = clock.after(LASTS_MS, update);
    },
    shown: (): AppError | undefined => shown,
    [Symbol.dispose]: (): void => cancel?.(),
  };
};

/**
 * Shows in a room what moderators keep the bot from, and when they no longer do: once for each time, however
 * often it changes meanwhile. What was not heard is marked in the transcript.
 */
export const createRestrictionStatus = (
  room: StatusContext,
  captioning: Pick<Captioning, 'current'>,
) => {
  const { clock, now, texts } = room;
  const speaking = createTopic('speaking', room, () => texts.note('room.may-speak'));
  const hearing = createTopic('hearing', room, (gap) => {
    captioning.current()?.mark('room.gap-here', { ...gap, count: secondsOf(gap) });
    const sinceMs = now() - clock.nowMs();
    return texts.between('room.may-hear', sinceMs + gap.startMs, sinceMs + gap.endMs);
  });
  return {
    set: (restrictions: Restrictions): void => {
      speaking.set(restrictions.speaking);
      hearing.set(restrictions.hearing);
    },
    /** The restrictions that are shown and still hold. */
    shown: (): Restrictions => ({ speaking: speaking.shown(), hearing: hearing.shown() }),
    [Symbol.dispose]: (): void => {
      speaking[Symbol.dispose]();
      hearing[Symbol.dispose]();
    },
  };
};
