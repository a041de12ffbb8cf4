import { randomUUID } from 'node:crypto';
import type { Voice } from '../../api/contract.ts';
import { waitUntil, DAY_MS, MINUTE_MS } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import type { AppError } from '../../errors.ts';
import type { VoiceLink } from '../../ports/voice.ts';
import { plainWords } from '../../rich-text/compose.ts';
import { voiceSpeaks } from '../../speech/voice-choice.ts';
import { speakable } from '../../text/speech/speakable.ts';
import { isOfPerson, limitForOthers } from '../../usage/limits.ts';
import { createSpeechMeter } from '../../usage/room-meters.ts';
import type { Attendance } from '../attendance.ts';
import type { RoomContext, QueuedSpeech, SpeechRequest } from '../room-types.ts';
import { noticeSound } from './notice-sound.ts';
import { createPlayback } from './playback.ts';
import { spokenMs, type SpeechItem } from './speech-item.ts';
import { createSpeechPreparation } from './speech-preparation.ts';

export interface SpeakingDeps {
  readonly room: Omit<RoomContext, 'choices' | 'signal'>;
  readonly attendance: Pick<Attendance, 'knownName'>;
  readonly play: VoiceLink['play'];
  /** Called when the speech of an item begins, except for notices. */
  readonly spoke: (item: SpeechItem) => void;
}

/** Least time between two messages about failed speech. */
const FAILURE_EVERY_MS = MINUTE_MS;
/** Time without dropped texts after which the next ones get a message of their own. */
const DROPPED_EVERY_MS = MINUTE_MS;

/** Messages in a room about what is not spoken there, or not well. */
const createSpeechNotes = ({
  clock,
  now,
  messages,
  texts,
  log,
}: Pick<RoomContext, 'clock' | 'now' | 'messages' | 'texts' | 'log'>) => {
  /** Languages with a note that their voice does not speak them. */
  const foreign = new Set<string>();
  let failedMs = Number.NEGATIVE_INFINITY;
  /** The people with a note on their limit on a day, in days since 1970; that of the space is empty. */
  let limits = { day: 0, of: new Set<string>() };
  let dropped = 0;
  let droppedMs = Number.NEGATIVE_INFINITY;

  return {
    /** Notes what was not spoken; a notice of the bot is also posted, so that nobody misses it. */
    failed: (error: AppError, kind: SpeechItem['kind']): void => {
      const { code, message } = error;
      log.warn({ code, reason: message }, 'speech failed');
      if (kind === 'notice') return;
      if (clock.nowMs() - failedMs < FAILURE_EVERY_MS) return;
      failedMs = clock.nowMs();
      void messages.post(texts.failed('room.not-said', error));
    },
    /** Notes a limit that leaves messages unread: once a day for each person, or for the space. */
    limited: (error: AppError, by: SpeechItem['by']): void => {
      const whose = by && isOfPerson(error) ? by : { id: '', name: '' };
      const day = Math.floor(now() / DAY_MS);
      if (day !== limits.day) limits = { day, of: new Set() };
      if (limits.of.has(whose.id)) return;
      limits.of.add(whose.id);
      void messages.post(texts.failed('room.not-said', limitForOthers(error, whose.name)));
    },
    /** Notes how many texts were dropped: in one message for all that follow each other closely. */
    dropped: (count: number): void => {
      const nowMs = clock.nowMs();
      if (nowMs - droppedMs >= DROPPED_EVERY_MS) {
        void messages.settle('dropped', texts.note('room.dropped', { count: dropped }));
        dropped = 0;
      }
      dropped += count;
      droppedMs = nowMs;
      void messages.show('dropped', texts.note('room.dropped', { count: dropped }));
    },
    /** Notes once for each language that its voice does not speak it. */
    voice: (voice: Voice, language: string): void => {
      if (foreign.has(language) || voiceSpeaks(voice, language)) return;
      foreign.add(language);
      void messages.post(texts.note('room.foreign-voice', { language: { language } }));
    },
  };
};

/** Longest wait for a spoken notice: what it says is also posted, and people speak meanwhile. */
const LONGEST_NOTICE_MS = 3_000;

/** A notice of the bot in one language. */
interface SpokenNotice {
  readonly text: string;
  readonly locale: string;
}

export type Speaking = ReturnType<typeof createSpeaking>;

/** Speaks in a room. Usage counts for the author of the words once they are spoken. */
export const createSpeaking = ({ room, attendance, play, spoke }: SpeakingDeps) => {
  const { services, clock, channel, texts } = room;
  const meter = createSpeechMeter(room);
  const notes = createSpeechNotes(room);
  const prepare = createSpeechPreparation(room, attendance, notes.voice);
  const notices = new Map<string, () => void>();
  /** Items that are being prepared, with their author. */
  const preparing = new Map<Promise<SpeechItem | undefined>, string | undefined>();
  const mutex = createKeyedMutex();

  const release = ({ id }: Pick<SpeechItem, 'id'>): void => {
    notices.get(id)?.();
    meter.release(id);
  };
  const playback = createPlayback({
    speaker: {
      speak: async (request, signal) =>
        services.speaker.speak({ ...request, lane: 'live', space: channel().space }, signal),
    },
    play,
    clock,
    words: texts.announcer,
    listener: {
      began: (item) => {
        // An answer already counts as a message with its question.
        if (item.kind === 'notice') return;
        meter.spoken(item, item.by?.id ?? '', item.kind === 'answer' ? 0 : 1);
        spoke(item);
      },
      ended: release,
      dropped: (items, reason) => {
        for (const item of items) release(item);
        if (reason !== 'repeated') notes.dropped(items.length);
      },
      failed: (item, error) => {
        release(item);
        notes.failed(error, item.kind);
      },
    },
  });

  return {
    /**
     * Queues speech; resolves when it waits in the queue, in the order of the calls, with false when
     * there is nothing to speak or it was dropped. Rejects with `rate-limited` when the space, or the
     * author of the words, may use no more characters today; for a message that is read aloud the room
     * is informed instead.
     */
    say: async (request: SpeechRequest): Promise<boolean> => {
      // A later item may be ready first.
      const ready = prepare(request);
      ready.catch(() => undefined);
      preparing.set(ready, request.by?.id);
      try {
        using _ = await mutex.take('say');
        const item = await ready;
        if (!item || !preparing.has(ready)) return false;
        const fault = await meter.reserve(item);
        if (!preparing.has(ready)) {
          meter.release(item.id);
          return false;
        }
        if (fault && item.kind !== 'read') throw fault;
        if (fault) {
          notes.limited(fault, item.by);
          return false;
        }
        playback.add(item);
        return true;
      } finally {
        preparing.delete(ready);
      }
    },
    /**
     * Plays a sound and speaks a notice before everything else; resolves when it was spoken, could not
     * be, or takes longer than three seconds.
     */
    announce: async ({ text, locale }: SpokenNotice): Promise<void> => {
      const id = randomUUID();
      const done = Promise.withResolvers<void>();
      notices.set(id, done.resolve);
      playback.add({
        id,
        kind: 'notice',
        sound: noticeSound(),
        text: speakable(plainWords(text), { locale }),
        voice: { language: locale },
        readAs: locale,
      });
      await waitUntil(clock, clock.nowMs() + LONGEST_NOTICE_MS, done.promise);
      notices.delete(id);
    },
    /** Ends the item that is spoken; returns false when there is none, or it is a notice. */
    skip: playback.skip,
    /**
     * Drops all speech of a member who opted out of everything; later requests are accepted. Members
     * who only refuse to be listened to are still read aloud: that choice is about their voice.
     */
    forget: (memberId: string): void => {
      for (const [ready, by] of preparing) if (by === memberId) preparing.delete(ready);
      playback.forget(memberId);
    },
    stop: playback.stop,
    duck: playback.duck,
    /** Holds all speech back while the bot may not speak. */
    hold: playback.hold,
    pause: (isPaused: boolean): void => (isPaused ? playback.pause() : playback.resume()),
    queue: (): { readonly isPaused: boolean; readonly items: readonly QueuedSpeech[] } => {
      const { isPaused, playing, playedMs, waiting } = playback.queue();
      let waitsMs = -playedMs;
      const items = [...playing, ...waiting].map(({ kind, by, text }) => {
        const item = { kind, text, waitsMs: Math.max(0, waitsMs), ...(by ? { by: by.name } : {}) };
        waitsMs += spokenMs(text);
        return item;
      });
      return { isPaused, items };
    },
    [Symbol.asyncDispose]: async () => {
      for (const resolve of notices.values()) resolve();
      await playback[Symbol.asyncDispose]();
      await meter[Symbol.asyncDispose]();
    },
  };
};
