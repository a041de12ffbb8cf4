import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { createLru } from '../async/lru.ts';
import { toAppError } from '../errors.ts';
import { type Log, logFailure } from '../telemetry/log.ts';
import type { Content } from '../model/content.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { equal } from '../rich-text/walk.ts';
import type { Platform } from '../ports/platform.ts';
import type { Clock } from '../async/clock.ts';
import type { Attendance } from './attendance.ts';
import type { RoomTexts } from './texts.ts';

export interface StatusMessagesDeps {
  readonly platform: Pick<Platform, 'post' | 'edit'>;
  readonly channel: () => Channel;
  readonly log: Log;
}

/** Most open topics; beyond it the message of the oldest one stays as it is. */
const MOST_TOPICS = 50;

export type StatusMessages = ReturnType<typeof createStatusMessages>;

/** Messages in the room's own chat about its state: one for each topic, edited when that changes. */
export const createStatusMessages = ({ platform, channel, log }: StatusMessagesDeps) => {
  const messages = createLru<string, { readonly posted: Posted; readonly text: RichText }>(
    MOST_TOPICS,
  );
  const mutex = createKeyedMutex();

  const attempt = async (run: () => Promise<unknown>): Promise<boolean> =>
    !(await logFailure(log, 'a status message of a room could not be shown', run));
  /** Edits a message; resolves with undefined when somebody deleted it. */
  const edit = async (posted: Posted, content: Content): Promise<Posted | undefined> => {
    try {
      return await platform.edit(posted, content);
    } catch (thrown) {
      if (toAppError(thrown).code === 'not-found') return undefined;
      throw thrown;
    }
  };
  /** Resolves with false when the message could not be shown. */
  const change = async (topic: string, content: Content, isNew: boolean): Promise<boolean> => {
    using _ = await mutex.take(topic);
    const before = messages.get(topic);
    if (before ? equal(before.text, content.text) : !isNew) return true;
    return await attempt(async () => {
      const edited = before && (await edit(before.posted, content));
      if (!edited && !isNew) return;
      const posted = edited ?? (await platform.post(channel(), content));
      messages.set(topic, { posted, text: content.text });
    });
  };

  return {
    /** Shows a message about a topic, in place of the one before; resolves with false when that is impossible. */
    show: async (topic: string, content: Content): Promise<boolean> => change(topic, content, true),
    /** Closes a topic, with `content` as the last state of its message if it has one. */
    settle: async (topic: string, content: Content): Promise<void> => {
      await change(topic, content, false);
      messages.delete(topic);
    },
    /** Posts content; resolves with false when that is impossible. */
    post: async (content: Content): Promise<boolean> =>
      attempt(() => platform.post(channel(), content)),
  };
};

export interface LinkStatusDeps {
  readonly clock: Clock;
  readonly attendance: Pick<Attendance, 'here' | 'nameOf'>;
  readonly messages: Pick<StatusMessages, 'show' | 'settle' | 'post'>;
  readonly texts: RoomTexts;
}

/** Time for which lost packets are shown: once for all speakers, and not with a lost connection. */
const SHOWN_FOR_MS = 30_000;
/** Time after a move in which a lost connection is not shown: the move interrupts it. */
const MOVE_MS = 5_000;

const topicOf = (memberId: string): string => `audible ${memberId}`;

/** Shows in a room when a speaker or the connection is lost, and when it is back. */
export const createLinkStatus = (deps: LinkStatusDeps) => {
  const { clock, attendance, messages, texts } = deps;
  const inaudible = new Set<string>();
  let isAway = false;
  let cancel: (() => void) | undefined;
  let movedMs = Number.NEGATIVE_INFINITY;
  let shownMs = Number.NEGATIVE_INFINITY;

  const settle = (memberId: string, text: 'audibleAgain' | 'leftInaudible'): void => {
    if (!inaudible.delete(memberId)) return;
    void messages.settle(topicOf(memberId), texts[text](attendance.nameOf(memberId)));
  };

  const showAway = (): void => {
    const leftMs = movedMs + MOVE_MS - clock.nowMs();
    if (leftMs > 0) cancel = clock.after(leftMs, showAway);
    else void messages.show('connection', texts.status('room.reconnecting'));
  };

  return {
    audible: (memberId: string | undefined, isAudible: boolean): void => {
      if (memberId === undefined) {
        const key = isAudible ? 'room.hears-everyone' : 'room.cannot-hear-someone';
        void messages[isAudible ? 'settle' : 'show']('audible', texts.status(key));
        return;
      }
      if (isAudible) return settle(memberId, 'audibleAgain');
      inaudible.add(memberId);
      const text = texts.inaudible(attendance.nameOf(memberId));
      void messages.show(topicOf(memberId), text);
    },
    connected: (isConnected: boolean): void => {
      if (isAway || !isConnected) shownMs = clock.nowMs();
      isAway = !isConnected;
      cancel?.();
      if (isConnected) void messages.settle('connection', texts.status('room.reconnected'));
      else showAway();
    },
    moved: (): void => {
      movedMs = clock.nowMs();
    },
    missed: (ms: number): void => {
      if (clock.nowMs() - shownMs < SHOWN_FOR_MS) return;
      shownMs = clock.nowMs();
      void messages.post(texts.missed(ms));
    },
    peopleChanged: (): void => {
      const here = new Set(attendance.here().map(({ id }) => id));
      for (const memberId of inaudible.difference(here)) settle(memberId, 'leftInaudible');
    },
    [Symbol.dispose]: (): void => cancel?.(),
  };
};
