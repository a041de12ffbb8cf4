import type { Voice } from '../../api/contract.ts';
import { DAY_MS, MINUTE_MS } from '../../async/time.ts';
import type { AppError } from '../../errors.ts';
import { voiceSpeaks } from '../../speech/voice-choice.ts';
import { isOfPerson, toldToOthers } from '../../usage/limits.ts';
import type { RoomContext } from '../room-context.ts';
import type { SpeechItem } from './speech-item.ts';

/** Least time between two messages about failed speech. */
const FAILURE_EVERY_MS = MINUTE_MS;
/** Time without dropped texts after which the next ones get a message of their own. */
const DROPPED_EVERY_MS = MINUTE_MS;

/** Messages in a room about what is not spoken there, or not well. */
export const createSpeechNotes = ({
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
    failed: (error: AppError): void => {
      const { code, message } = error;
      log.warn({ code, reason: message }, 'speech failed');
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
      void messages.post(texts.failed('room.not-said', toldToOthers(error, whose.name)));
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
