import { randomUUID } from 'node:crypto';
import type { Voice } from '../../api/contract.ts';
import type { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { isOfPerson, toldToOthers } from '../../usage/limits.ts';
import { createSpeechMeter } from '../../usage/speech-meter.ts';
import type { Channel } from '../../model/place.ts';
import type { QueuedSpeech, SpeechRequest, VoiceServices } from '../room-types.ts';
import { firstThatFits, voicePreferences, voiceSpeaks } from '../../speech/voice-choice.ts';
import { plainWords } from '../../rich-text/compose.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import { languageText } from '../../text/message-checks.ts';
import { toFlatText } from '../../rich-text/pieces/pieces.ts';
import { speakable } from '../../text/speech/speakable.ts';
import { termsFor } from '../../translation/glossary-terms.ts';
import { createKeyedMutex } from '../../async/keyed-mutex.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import { DAY_MS } from '../../async/time.ts';
import type { StatusMessages } from '../status-messages.ts';
import type { VoiceLink } from '../../ports/voice.ts';
import { spokenMs, type SpeechItem } from './speech-item.ts';
import { createPlayback } from './playback.ts';
import type { RoomTexts } from '../texts.ts';

export interface SpeakingDeps {
  readonly services: Pick<
    VoiceServices,
    'speaker' | 'settings' | 'glossary' | 'languages' | 'limits' | 'usage'
  >;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly play: VoiceLink['play'];
  readonly channel: () => Channel;
  /** Gives the mentions of a text the names that are known in the room. */
  readonly named: (text: RichText) => Promise<RichText>;
  readonly texts: RoomTexts;
  readonly messages: StatusMessages;
  /** Called when the speech of an item begins, except for notices. */
  readonly spoke: (item: SpeechItem) => void;
  readonly log: Log;
}

/** Longest wait for a spoken notice in one language; it is also posted. */
const LONGEST_NOTICE_MS = 15_000;
/** The same while the bot may not speak: it gets onto a stage sooner, or not at all. */
const LONGEST_HELD_NOTICE_MS = 3_000;
const VOICES_MS = 10_000;
/** Least time between two messages about failed speech. */
const FAILURE_EVERY_MS = 60_000;
/** Time without dropped texts after which the next ones get a message of their own. */
const DROPPED_EVERY_MS = 60_000;

/** A notice of the bot in one language. */
interface SpokenNotice {
  readonly text: string;
  readonly locale: string;
}

export type Speaking = ReturnType<typeof createSpeaking>;

/** Speaks in a room. Usage counts for the author of the words once they are spoken. */
export const createSpeaking = (deps: SpeakingDeps) => {
  const { services, clock, now, channel, named, texts, messages, log } = deps;
  const notices = new Map<string, () => void>();
  const meter = createSpeechMeter({ services, channel, log });
  /** Items that are being prepared, with their author. */
  const preparing = new Map<Promise<SpeechItem | undefined>, string | undefined>();
  const mutex = createKeyedMutex();
  /** Languages of which was told that their voice does not speak them. */
  const foreign = new Set<string>();
  let failedMs = Number.NEGATIVE_INFINITY;
  /** The people of whose limits was told on a day, in days since 1970; that of the space is empty. */
  let limitsTold = { day: 0, of: new Set<string>() };
  let isHeld = false;
  let dropped = 0;
  let droppedMs = Number.NEGATIVE_INFINITY;

  const failed = (error: AppError): void => {
    const { code, message } = error;
    log.warn({ code, reason: message }, 'speech failed');
    if (clock.nowMs() - failedMs < FAILURE_EVERY_MS) return;
    failedMs = clock.nowMs();
    void messages.post(texts.failed('room.not-said', error));
  };
  /** Tells of a limit that leaves messages unread: once a day for each person, or for the space. */
  const tellLimit = (error: AppError, by: SpeechItem['by']): void => {
    const whose = by && isOfPerson(error) ? by : { id: '', name: '' };
    const day = Math.floor(now() / DAY_MS);
    if (day !== limitsTold.day) limitsTold = { day, of: new Set() };
    if (limitsTold.of.has(whose.id)) return;
    limitsTold.of.add(whose.id);
    void messages.post(texts.failed('room.not-said', toldToOthers(error, whose.name)));
  };
  /** Tells how many texts were dropped: one message for all that follow each other closely. */
  const noteDropped = (count: number): void => {
    const nowMs = clock.nowMs();
    if (nowMs - droppedMs >= DROPPED_EVERY_MS) {
      void messages.settle('dropped', texts.dropped(dropped));
      dropped = 0;
    }
    dropped += count;
    droppedMs = nowMs;
    void messages.show('dropped', texts.dropped(dropped));
  };
  const release = ({ id }: Pick<SpeechItem, 'id'>): void => {
    notices.get(id)?.();
    meter.release(id);
  };

  const playback = createPlayback({
    speaker: {
      speak: async (request, signal) =>
        services.speaker.speak({ ...request, lane: 'live', space: channel().space }, signal),
    },
    play: deps.play,
    clock,
    words: texts.announcer,
    listener: {
      began: (item) => {
        // An answer already counts as a message with its question.
        if (item.kind === 'notice') return;
        meter.spoken(item, item.by?.id ?? '', item.kind === 'answer' ? 0 : 1);
        deps.spoke(item);
      },
      ended: release,
      dropped: (items, reason) => {
        for (const item of items) release(item);
        if (reason !== 'repeated') noteDropped(items.length);
      },
      failed: (item, error) => {
        release(item);
        failed(error);
      },
    },
  });

  /** The pronunciations of the terms in a text. */
  const dictionaryOf = async (text: RichText, language: string) => {
    const { terms } = await services.glossary.inText(channel(), toFlatText(text).text);
    return termsFor(terms, language).forced.map(({ term, translation }) => ({
      term,
      spoken: translation ?? term,
    }));
  };

  /** The text as a voice of that language reads it. */
  const spokenOf = async (text: RichText, language: string | undefined): Promise<string> => {
    const spoken = await named(text);
    return speakable(spoken, {
      ...(language === undefined
        ? {}
        : { locale: language, dictionary: await dictionaryOf(spoken, language) }),
      words: texts.spokenWords(language),
      nowMs: now(),
    });
  };

  /** Tells once for each language that its voice does not speak it. */
  const noteForeign = (voice: Voice, language: string): void => {
    if (foreign.has(language) || voiceSpeaks(voice, language)) return;
    foreign.add(language);
    void messages.post(texts.foreignVoice(language));
  };

  const itemOf = async (request: SpeechRequest): Promise<SpeechItem | undefined> => {
    const { text, kind, by } = request;
    const own =
      by && (await services.settings.of({ platform: channel().space.platform, id: by.id }));
    const textLanguage = services.languages.detect(languageText(text))?.language;
    const guesses = [own?.language, texts.locale];
    // An answer has the bot's voice, whoever asked.
    const ownVoice = kind === 'answer' ? undefined : own?.voiceId;
    const preferences = voicePreferences({
      asked: request.voice,
      own: ownVoice,
      textLanguage,
      guesses,
    });
    const fits = await firstThatFits(
      preferences,
      channel().space,
      services.speaker,
      AbortSignal.timeout(VOICES_MS),
    );
    const [voice] = fits.voices;
    if (voice && textLanguage !== undefined && request.voice?.language === undefined)
      noteForeign(voice, textLanguage);
    const language =
      fits.preference.language ?? textLanguage ?? guesses.find((guess) => guess !== undefined);
    const spoken = await spokenOf(text, language);
    if (spoken === '') return undefined;
    return {
      id: randomUUID(),
      kind,
      ...(by ? { by } : {}),
      text: spoken,
      voice: fits.preference,
      ...(language === undefined ? {} : { readAs: language }),
    };
  };
  const announceIn = async ({ text, locale }: SpokenNotice, latestMs: number): Promise<void> => {
    const id = randomUUID();
    const done = Promise.withResolvers<void>();
    notices.set(id, done.resolve);
    playback.add({
      id,
      kind: 'notice',
      text: speakable(plainWords(text), { locale }),
      voice: { language: locale },
      readAs: locale,
    });
    await waitUntil(clock, latestMs, done.promise);
    notices.delete(id);
  };
  return {
    /**
     * Queues speech; resolves when it waits in the queue, in the order of the calls, with false when
     * there is nothing to speak or it was dropped. Rejects with `rate-limited` when the space, or the
     * author of the words, may use no more characters today; for a message that is read aloud the room
     * is informed instead.
     */
    say: async (request: SpeechRequest): Promise<boolean> => {
      // A later item may be ready first.
      const ready = itemOf(request);
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
          tellLimit(fault, item.by);
          return false;
        }
        playback.add(item);
        return true;
      } finally {
        preparing.delete(ready);
      }
    },
    /**
     * Speaks a notice before everything else, in one language after another; resolves when it was
     * spoken, or could not be.
     */
    announce: async (notice: readonly SpokenNotice[]): Promise<void> => {
      const longestMs = isHeld ? LONGEST_HELD_NOTICE_MS : LONGEST_NOTICE_MS * notice.length;
      const latestMs = clock.nowMs() + longestMs;
      await Promise.all(notice.map((one) => announceIn(one, latestMs)));
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
    hold: (isSilenced: boolean): void => {
      isHeld = isSilenced;
      playback.hold(isSilenced);
    },
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
