import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Channel } from '../model.ts';
import type { QueuedSaying, Saying, Services } from '../services.ts';
import { firstThatFits, voiceWishes } from '../speech/wishes.ts';
import { speakable } from '../text/speakable.ts';
import { termsFor } from '../translate/terms.ts';
import type { Clock } from './clock.ts';
import type { Notes } from './notes.ts';
import type { VoiceLink } from './port.ts';
import { createPlayback, type Playback } from './speak/playback.ts';
import type { RoomTexts } from './texts.ts';

export interface SpeakingParts {
  readonly services: Pick<Services, 'speaker' | 'settings' | 'glossary' | 'languages'>;
  readonly clock: Clock;
  readonly play: VoiceLink['play'];
  readonly channel: () => Channel;
  /** The name behind a mention, as it is written. */
  readonly mentioned: (mention: string) => string | undefined;
  readonly texts: RoomTexts;
  readonly notes: Notes;
  readonly log: Log;
}

/** What is said aloud in a room. */
export interface Speaking extends Pick<Playback, 'stop' | 'duck'>, AsyncDisposable {
  readonly say: (saying: Saying) => Promise<boolean>;
  /** Says something of ours before everything else; resolves when it was said, or could not be. */
  readonly announce: (text: string) => Promise<void>;
  readonly skip: () => boolean;
  /** Ends what is said, but for a notice of ours. */
  readonly interrupt: () => void;
  readonly pause: (isPaused: boolean) => void;
  readonly queue: () => { readonly isPaused: boolean; readonly items: readonly QueuedSaying[] };
}

/** Nobody waits longer for a notice: who cannot be told aloud was told in writing. */
const LONGEST_NOTICE_MS = 15_000;
/** A list of voices that takes longer is of no use to who waits for it. */
const VOICES_MS = 10_000;
/** How often it is said that something could not be said. */
const FAILURE_EVERY_MS = 60_000;

export const createSpeaking = (parts: SpeakingParts): Speaking => {
  const { services, clock, channel, mentioned, texts, notes, log } = parts;
  const notices = new Map<string, () => void>();
  let failedMs = Number.NEGATIVE_INFINITY;

  const playback = createPlayback({
    speaker: services.speaker,
    play: parts.play,
    clock,
    words: texts.words,
    listener: {
      ended: ({ id }) => notices.get(id)?.(),
      dropped: (items, reason) => {
        for (const { id } of items) notices.get(id)?.();
        if (reason !== 'repeated') void notes.post(texts.dropped(items.length));
      },
      failed: ({ id }, error) => {
        notices.get(id)?.();
        const { code, message } = error;
        log.warn({ code, reason: message }, 'something could not be said aloud');
        if (clock.nowMs() - failedMs < FAILURE_EVERY_MS) return;
        failedMs = clock.nowMs();
        void notes.post(texts.failed('room.not-said', error));
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
      names: mentioned,
      dictionary,
      words: texts.spokenWords(language),
    });
  };

  return {
    say: async ({ text, kind, by, wish }) => {
      const own =
        by && (await services.settings.of({ platform: channel().space.platform, id: by.id }));
      const guesses = [services.languages.detect(text)?.language, own?.language, texts.locale];
      const wishes = voiceWishes({ asked: wish, own: own?.voiceId, guesses });
      const fits = await firstThatFits(wishes, services.speaker, AbortSignal.timeout(VOICES_MS));
      const language = fits.wish.language ?? guesses.find((guess) => guess !== undefined);
      const spoken = await spokenOf(text, language);
      if (spoken === '') return false;
      playback.add({
        id: randomUUID(),
        kind,
        ...(by ? { by } : {}),
        text: spoken,
        wish: fits.wish,
        ...(language === undefined ? {} : { readAs: language }),
      });
      return true;
    },
    announce: async (text) => {
      const id = randomUUID();
      const done = Promise.withResolvers<void>();
      notices.set(id, done.resolve);
      const cancel = clock.after(LONGEST_NOTICE_MS, done.resolve);
      const { locale } = texts;
      playback.add({ id, kind: 'notice', text, wish: { language: locale }, readAs: locale });
      await done.promise;
      cancel();
      notices.delete(id);
    },
    skip: () => playback.skip().length > 0,
    interrupt: () => {
      const { playing } = playback.queue();
      if (playing.length > 0 && playing.every(({ kind }) => kind !== 'notice')) playback.skip();
    },
    stop: () => playback.stop(),
    duck: (isOn) => playback.duck(isOn),
    pause: (isPaused) => (isPaused ? playback.pause() : playback.resume()),
    queue: () => {
      const { isPaused, playing, waiting } = playback.queue();
      let waitsMs = -playback.queue().playedMs;
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
    },
  };
};
