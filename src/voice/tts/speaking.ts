import { randomUUID } from 'node:crypto';
import { type AppError, toAppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { limitFault } from '../../usage/meter.ts';
import type { Channel } from '../../model/place.ts';
import type { Services } from '../../command/services.ts';
import type { QueuedSpeech, SpeechRequest } from '../service.ts';
import { firstThatFits, voiceWishes } from '../../speech/voice-preference.ts';
import { speakable } from '../../text/speech/speakable.ts';
import { countCodePoints } from '../../text/unicode.ts';
import { termsFor } from '../../translation/terms.ts';
import { createKeyedMutex } from '../../async/keyed-mutex.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import type { StatusMessages } from '../status-messages.ts';
import type { VoiceLink } from '../../ports/voice.ts';
import type { SpeechItem } from './speech-item.ts';
import { createPlayback, type Playback } from './playback.ts';
import type { RoomTexts } from '../texts.ts';

export interface SpeakingDeps {
  readonly services: Pick<
    Services,
    'speaker' | 'settings' | 'glossary' | 'languages' | 'spaces' | 'usage'
  >;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly play: VoiceLink['play'];
  readonly channel: () => Channel;
  /** Looks up the mentions of a text; resolves with the name behind each, by how it is written. */
  readonly mentioned: (text: string) => Promise<(mention: string) => string | undefined>;
  readonly texts: RoomTexts;
  readonly notes: StatusMessages;
  readonly log: Log;
}

/** What is said aloud in a room. It counts as used, by whose words they are, once it is heard. */
export interface Speaking extends Pick<Playback, 'stop' | 'duck'>, AsyncDisposable {
  /**
   * Resolves when it waits in the queue, in the order of the calls; with false where nothing of it can be
   * said, or is to be any more. Rejects with `rate-limited` where the space may say no more today; who
   * wrote what is read is not there to be told, so the room is.
   */
  readonly say: (saying: SpeechRequest) => Promise<boolean>;
  /** Says something of ours before everything else; resolves when it was said, or could not be. */
  readonly announce: (text: string) => Promise<void>;
  /** False where nothing is said, or a notice of ours. */
  readonly skip: () => boolean;
  /** Somebody speaks: ends what is said, but for a notice of ours. */
  readonly interrupt: () => void;
  /**
   * Somebody opted out of everything: nothing of theirs is said any more, what they asked for included;
   * they may ask anew. Who only does not want to be heard is read all the same: that is about their voice.
   */
  readonly forget: (memberId: string) => void;
  readonly pause: (isPaused: boolean) => void;
  readonly queue: () => { readonly isPaused: boolean; readonly items: readonly QueuedSpeech[] };
}

/** Nobody waits longer for a notice: who cannot be told aloud was told in writing. */
const LONGEST_NOTICE_MS = 15_000;
/** A list of voices that takes longer is of no use to who waits for it. */
const VOICES_MS = 10_000;
/** How often it is said that something could not be said. */
const FAILURE_EVERY_MS = 60_000;

export const createSpeaking = (deps: SpeakingDeps): Speaking => {
  const { services, clock, now, channel, mentioned, texts, notes, log } = deps;
  const notices = new Map<string, () => void>();
  /** Code points of what waits to be said, by the item's id. */
  const admitted = new Map<string, number>();
  /** What is being made ready → by whom. */
  const coming = new Map<Promise<SpeechItem | undefined>, string | undefined>();
  const turns = createKeyedMutex();
  let counting = Promise.resolve();
  let failedMs = Number.NEGATIVE_INFINITY;

  const failed = (error: AppError): void => {
    const { code, message } = error;
    log.warn({ code, reason: message }, 'something could not be said aloud');
    if (clock.nowMs() - failedMs < FAILURE_EVERY_MS) return;
    failedMs = clock.nowMs();
    void notes.post(texts.failed('room.not-said', error));
  };
  const gone = ({ id }: Pick<SpeechItem, 'id'>): void => {
    notices.get(id)?.();
    admitted.delete(id);
  };
  const count = async ({ kind, by, text }: SpeechItem): Promise<void> => {
    try {
      await services.usage.record(channel().space, by?.id ?? '', {
        characters: countCodePoints(text),
        audioMs: 0,
        // An answer was counted with its question.
        messages: kind === 'answer' ? 0 : 1,
      });
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'what was said aloud was not counted');
    }
  };

  const playback = createPlayback({
    speaker: services.speaker,
    play: deps.play,
    clock,
    words: texts.words,
    listener: {
      began: (item) => {
        admitted.delete(item.id);
        if (item.kind !== 'notice') counting = counting.then(async () => count(item));
      },
      ended: gone,
      dropped: (items, reason) => {
        for (const item of items) gone(item);
        if (reason !== 'repeated') void notes.post(texts.dropped(items.length));
      },
      failed: (item, error) => {
        gone(item);
        failed(error);
      },
    },
  });

  /** What a voice in that language reads of a text. */
  const spokenOf = async (text: string, language: string | undefined): Promise<string> => {
    const terms = await services.glossary.applying(channel());
    const dictionary =
      language === undefined
        ? []
        : termsFor(terms, language).forced.map(({ term, translation }) => ({
            term,
            spoken: translation ?? term,
          }));
    return speakable(text, {
      ...(language === undefined ? {} : { locale: language }),
      names: await mentioned(text),
      dictionary,
      words: texts.spokenWords(language),
    });
  };

  const itemOf = async ({
    text,
    kind,
    by,
    wish,
  }: SpeechRequest): Promise<SpeechItem | undefined> => {
    const own =
      by && (await services.settings.of({ platform: channel().space.platform, id: by.id }));
    const guesses = [services.languages.detect(text)?.language, own?.language, texts.locale];
    // An answer is ours, whoever asked.
    const voice = kind === 'answer' ? undefined : own?.voiceId;
    const wishes = voiceWishes({ asked: wish, own: voice, guesses });
    const fits = await firstThatFits(wishes, services.speaker, AbortSignal.timeout(VOICES_MS));
    const language = fits.wish.language ?? guesses.find((guess) => guess !== undefined);
    const spoken = await spokenOf(text, language);
    if (spoken === '') return undefined;
    return {
      id: randomUUID(),
      kind,
      ...(by ? { by } : {}),
      text: spoken,
      wish: fits.wish,
      ...(language === undefined ? {} : { readAs: language }),
    };
  };
  /** Why no more may be said today, with what waits already. */
  const faultOf = async ({ text }: SpeechItem): Promise<AppError | undefined> => {
    const characters = [...admitted.values()].reduce(
      (sum, each) => sum + each,
      countCodePoints(text),
    );
    return limitFault(services, channel().space, { characters }, now);
  };

  return {
    say: async (saying) => {
      // What comes later may be ready first.
      const ready = itemOf(saying);
      ready.catch(() => undefined);
      coming.set(ready, saying.by?.id);
      try {
        using _ = await turns.take('say');
        const item = await ready;
        const fault = item && (await faultOf(item));
        if (!item || !coming.has(ready)) return false;
        if (fault && item.kind !== 'read') throw fault;
        if (fault) {
          failed(fault);
          return false;
        }
        admitted.set(item.id, countCodePoints(item.text));
        playback.add(item);
        return true;
      } finally {
        coming.delete(ready);
      }
    },
    announce: async (text) => {
      const id = randomUUID();
      const done = Promise.withResolvers<void>();
      notices.set(id, done.resolve);
      const { locale } = texts;
      playback.add({ id, kind: 'notice', text, wish: { language: locale }, readAs: locale });
      await waitUntil(clock, clock.nowMs() + LONGEST_NOTICE_MS, done.promise);
      notices.delete(id);
    },
    skip: () => playback.skip(),
    interrupt: () => void playback.skip(),
    forget: (memberId) => {
      for (const [ready, by] of coming) if (by === memberId) coming.delete(ready);
      playback.forget(memberId);
    },
    stop: playback.stop,
    duck: playback.duck,
    pause: (isPaused) => (isPaused ? playback.pause() : playback.resume()),
    queue: () => {
      const { isPaused, playing, playedMs, waiting } = playback.queue();
      let waitsMs = -playedMs;
      const items = [...playing, ...waiting].map(({ kind, by, text, aboutMs }) => {
        const item = { kind, text, waitsMs: Math.max(0, waitsMs), ...(by ? { by: by.name } : {}) };
        waitsMs += aboutMs;
        return item;
      });
      return { isPaused, items };
    },
    [Symbol.asyncDispose]: async () => {
      for (const resolve of notices.values()) resolve();
      await playback[Symbol.asyncDispose]();
      await counting;
    },
  };
};
