import type { Log } from '../../telemetry/log.ts';
import { createLru } from '../../async/lru.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import { oneLine, shorten } from '../../text/quoted-words.ts';
import { isBlank } from '../../text/unicode.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';
import {
  isBefore,
  isIn,
  type Caption,
  type CaptionDisplay,
  type CaptionSink,
  type CaptionTranslation,
} from './caption.ts';
import { scriptParts } from './script-parts.ts';
import { createTranslations, type TranslateCaption } from './translations.ts';

/** Longest caption: more text in one utterance means that the recogniser repeats itself. */
const LONGEST_CAPTION_CHARS = 2_000;
const MOST_LANGUAGES = 10;
/** Final captions that are sent with a translation as its context. */
const CONTEXT_CAPTIONS = 4;
/** Final captions in memory from which the context is taken. */
const MOST_FINALS = 12;
/** Most captions that can still change; beyond it the oldest partial one is dropped. */
const MOST_OPEN = 200;
const MOST_ENDED = 2_000;
const MOST_FORGOTTEN = 1_000;
const MOST_FAILING = 100;
/** Time that the end leaves the displays for the last captions. */
const SHOWING_MS = 3_000;

export interface CaptionsDeps {
  /** The room's clock, which gives captions their times. */
  readonly clock: Clock;
  readonly nameOf: (memberId: string) => string;
  /** Makes the id of a further caption. */
  readonly nextId: () => number;
  readonly translate: TranslateCaption;
  /** Displays of the captions. Iterated for each change, since displays come and go. */
  readonly displays: Iterable<CaptionDisplay>;
  readonly transcript: CaptionSink;
  readonly log: Pick<Log, 'warn'>;
}

/** Turns transcripts into translated captions, for the displays and the transcript. */
export const createCaptions = (deps: CaptionsDeps) => {
  const { clock, nameOf, nextId, translate, displays, transcript, log } = deps;
  let languages: readonly string[] = [];
  let isOver = false;
  /** Captions that are partial, or being translated. */
  const open = new Map<number, Caption>();
  const ended = createLru<number, true>(MOST_ENDED);
  /** Times up to which a member's speech is not shown. */
  const forgottenMs = createLru<string, number>(MOST_FORGOTTEN);
  /** Languages into which the last translation has failed. */
  const failing = createLru<string, true>(MOST_FAILING);
  /** The latest final captions, in the order in which they were spoken. */
  let finals: Caption[] = [];

  const sinks = (isFinal: boolean): CaptionSink[] => [
    ...displays,
    ...(isFinal ? [transcript] : []),
  ];

  const retranslated = (
    id: number,
    language: string,
    translation: CaptionTranslation | undefined,
  ): void => {
    const caption = open.get(id);
    if (!caption) return;
    const changed = new Map(caption.translations);
    if (translation) changed.set(language, translation);
    else changed.delete(language);
    const next = { ...caption, translations: changed };
    if ([...changed.values()].every(({ done }) => done)) open.delete(id);
    else open.set(id, next);
    for (const sink of sinks(true)) sink.change(next);
  };

  const translations = createTranslations({
    clock,
    translate,
    contextOf: (caption) =>
      finals
        .filter((each) => isBefore(each, caption))
        .slice(-CONTEXT_CAPTIONS)
        .map(({ text }) => text),
    grown: (id, language, text, done) => {
      failing.delete(language);
      retranslated(id, language, { text: shorten(oneLine(text), LONGEST_CAPTION_CHARS), done });
    },
    missed: (id, language, error) => {
      const from = open.get(id)?.language ?? '';
      if (error && !failing.get(language))
        log.warn({ code: error.code, from, to: language }, 'a caption was not translated');
      if (error) failing.set(language, true);
      retranslated(id, language, error && { text: '', done: true, failed: true });
    },
  });

  const remove = (id: number): void => {
    translations.drop(id);
    open.delete(id);
    finals = finals.filter((caption) => caption.id !== id);
    for (const sink of sinks(true)) sink.remove(id);
  };
  const addOpen = (caption: Caption): void => {
    open.set(caption.id, caption);
    if (open.size <= MOST_OPEN) return;
    const oldest = [...open.values()].find(({ isFinal }) => !isFinal);
    if (oldest) remove(oldest.id);
  };

  const remember = (caption: Caption): void => {
    const at = finals.findLastIndex((each) => isBefore(each, caption));
    finals = finals.toSpliced(at + 1, 0, caption).slice(-MOST_FINALS);
  };

  const take = (event: TranscriptEvent, name: string): void => {
    const { id, speakerId, startMs, endMs, language, isFinal } = event;
    if (isOver || startMs <= (forgottenMs.get(speakerId) ?? Number.NEGATIVE_INFINITY)) return;
    const text = isBlank(event.text) ? '' : shorten(oneLine(event.text), LONGEST_CAPTION_CHARS);
    const hasEnded = ended.get(id) ?? false;
    // A final caption can only be removed.
    if (hasEnded && !(isFinal && text === '')) return;
    if (isFinal) ended.set(id, true);
    if (text === '') {
      remove(id);
      return;
    }
    const missing = isFinal ? languages.filter((each) => !isIn(event, each)) : [];
    const caption: Caption = {
      id,
      speakerId,
      name,
      startMs,
      endMs,
      text,
      language,
      isFinal,
      translations: new Map(missing.map((each) => [each, { text: '', done: false }])),
    };
    open.delete(id);
    if (isFinal) remember(caption);
    if (!isFinal || missing.length > 0) addOpen(caption);
    const shown = event.isOnlyRecorded ? [transcript] : sinks(isFinal);
    for (const sink of shown) sink.show(caption);
    translations.request(caption, missing);
  };

  return {
    /**
     * Takes transcripts in any order, with the name to show; captions stand in the order in which they were
     * spoken. A final one is cut where its script changes, so that each part is translated.
     */
    transcript: (event: TranscriptEvent, name = nameOf(event.speakerId)): void => {
      const isNew = event.isFinal && !ended.get(event.id);
      for (const part of isNew ? scriptParts(event, nextId) : [event]) take(part, name);
    },
    /** Sets the languages of final captions from now on; at most ten, each once. */
    setLanguages: (chosen: readonly string[]): void => {
      const distinct: string[] = [];
      for (const language of chosen)
        if (!distinct.some((each) => sameLanguage(each, language))) distinct.push(language);
      languages = distinct.slice(0, MOST_LANGUAGES);
      translations.keepOnly(languages);
    },
    /** Removes the captions of a member, and ignores transcripts of their earlier speech. */
    forget: (memberId: string): void => {
      forgottenMs.set(memberId, clock.nowMs());
      for (const { id, speakerId } of open.values())
        if (speakerId === memberId) {
          translations.drop(id);
          open.delete(id);
        }
      finals = finals.filter(({ speakerId }) => speakerId !== memberId);
      for (const sink of sinks(true)) sink.forget(memberId);
    },
    /** Resolves when no translation is under way and everything is shown. */
    settled: async (): Promise<void> => {
      do {
        await translations.settled();
        await Promise.all([...displays].map((display) => display.settled()));
      } while (!translations.isIdle);
    },
    /** Removes partial captions, awaits translations, and ends the displays by `latestMs`. */
    end: async (latestMs: number): Promise<void> => {
      isOver = true;
      for (const { id, isFinal } of open.values()) if (!isFinal) remove(id);
      await waitUntil(clock, latestMs - SHOWING_MS, translations.settled());
      for (const { id, translations: pending } of open.values()) {
        translations.drop(id);
        for (const [language, { done }] of pending)
          if (!done) retranslated(id, language, undefined);
      }
      await translations.settled();
      await Promise.all([...displays].map((display) => display.end(latestMs)));
    },
  };
};
