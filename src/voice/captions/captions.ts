import type { Log } from '../../log.ts';
import { createLru } from '../../async/lru.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import { flatten } from '../../text/markup/plain-line.ts';
import { shorten } from '../../text/split/shorten.ts';
import { isBlank } from '../../text/unicode.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';
import {
  isBefore,
  isIn,
  type Caption,
  type CaptionBoard,
  type CaptionSink,
  type CaptionTranslation,
} from './caption.ts';
import { createTranslations, type TranslateCaption } from './translations.ts';

/** Nobody says more without a pause; what is longer is a recogniser that repeats itself. */
const LONGEST_LINE_CHARS = 2_000;
const MOST_LANGUAGES = 10;
/** Finals that go with a translation as what was said before. */
const CONTEXT_LINES = 4;
const KEPT_FOR_CONTEXT = 12;
/** Utterances that are still going on. What does not end any more makes room. */
const MOST_OPEN = 200;
const ENDED_KEPT = 2_000;
const FORGOTTEN_KEPT = 1_000;
/** How often the same failure is shown to people. */
const SIGN_EVERY_MS = 300_000;
const SIGNS_KEPT = 100;
/** What the end leaves to the boards for showing what came last. */
const SHOWING_MS = 3_000;

export interface CaptionsDeps {
  /** The room's, on which lines say when they were spoken. */
  readonly clock: Clock;
  readonly nameOf: (memberId: string) => string;
  readonly translate: TranslateCaption;
  /** Gone through anew at each change, so that boards may come and go. */
  readonly boards: Iterable<CaptionBoard>;
  /** Gets final lines alone. */
  readonly transcript: CaptionSink;
  readonly log: Pick<Log, 'warn'>;
}

export interface Captions {
  /** Lines may come in any order; they stand in the order in which they were spoken. */
  readonly heard: (line: TranscriptEvent) => void;
  /** The languages of the readers, for what is final from now on; at most ten, each once. */
  setLanguages(languages: readonly string[]): void;
  /** A member wants not to be heard: what they said goes, as does what comes late of it. */
  readonly forget: (memberId: string) => void;
  /** Resolves when no translation is on its way and every board is settled. */
  settled(): Promise<void>;
  /**
   * Takes what is not final away and ends, with the boards, no later than at that time of the room's
   * clock. What is final is shown at once; translations that are on their way are waited for.
   */
  end(latestMs: number): Promise<void>;
}

/** What is heard in a room, translated for its readers, onto boards and into the transcript. */
export const createCaptions = (deps: CaptionsDeps): Captions => {
  const { clock, nameOf, translate, boards, transcript, log } = deps;
  let languages: readonly string[] = [];
  let isOver = false;
  /** What is said at this moment, and what is being translated. */
  const open = new Map<number, Caption>();
  const ended = createLru<number, true>(ENDED_KEPT);
  /** Until when what a member said is not shown. */
  const forgottenMs = createLru<string, number>(FORGOTTEN_KEPT);
  const signedMs = createLru<string, number>(SIGNS_KEPT);
  /** The last finals, in the order in which they were spoken. */
  let said: Caption[] = [];

  const sinks = (isFinal: boolean): CaptionSink[] => [...boards, ...(isFinal ? [transcript] : [])];

  const takeAway = (id: number): void => {
    translations.drop(id);
    open.delete(id);
    said = said.filter((caption) => caption.id !== id);
    for (const sink of sinks(true)) sink.remove(id);
  };

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

  /** Whether people are to be told now of a failure that may go on for long. */
  const isSignDue = (from: string, to: string): boolean => {
    const pair = `${from} ${to}`;
    const last = signedMs.get(pair);
    if (last !== undefined && clock.nowMs() - last < SIGN_EVERY_MS) return false;
    signedMs.set(pair, clock.nowMs());
    return true;
  };

  const translations = createTranslations({
    clock,
    translate,
    contextOf: (caption) =>
      said
        .filter((each) => isBefore(each, caption))
        .slice(-CONTEXT_LINES)
        .map(({ text }) => text),
    grown: (id, language, text, done) =>
      retranslated(id, language, { text: shorten(flatten(text), LONGEST_LINE_CHARS), done }),
    missed: (id, language, error) => {
      const from = open.get(id)?.language ?? '';
      const isTold = error !== undefined && isSignDue(from, language);
      if (isTold) log.warn({ code: error.code, from, to: language }, 'captions are not translated');
      retranslated(id, language, isTold ? { text: '', done: true, failed: true } : undefined);
    },
  });

  const keep = (caption: Caption): void => {
    open.set(caption.id, caption);
    if (open.size <= MOST_OPEN) return;
    const oldest = [...open.values()].find(({ isFinal }) => !isFinal);
    if (oldest) takeAway(oldest.id);
  };

  const remember = (caption: Caption): void => {
    const at = said.findLastIndex((each) => isBefore(each, caption));
    said = said.toSpliced(at + 1, 0, caption).slice(-KEPT_FOR_CONTEXT);
  };

  return {
    heard: (line) => {
      const { id, speakerId, startMs, endMs, language, isFinal } = line;
      if (isOver || startMs <= (forgottenMs.get(speakerId) ?? Number.NEGATIVE_INFINITY)) return;
      const text = isBlank(line.text) ? '' : shorten(flatten(line.text), LONGEST_LINE_CHARS);
      const hasEnded = ended.get(id) ?? false;
      // After its end a line can only be taken back.
      if (hasEnded && !(isFinal && text === '')) return;
      if (isFinal) ended.set(id, true);
      if (text === '') {
        takeAway(id);
        return;
      }
      const wanted = isFinal ? languages.filter((each) => !isIn(line, each)) : [];
      const caption: Caption = {
        id,
        speakerId,
        name: nameOf(speakerId),
        startMs,
        endMs,
        text,
        language,
        isFinal,
        translations: new Map(wanted.map((each) => [each, { text: '', done: false }])),
      };
      open.delete(id);
      if (isFinal) remember(caption);
      if (!isFinal || wanted.length > 0) keep(caption);
      for (const sink of sinks(isFinal)) sink.show(caption);
      translations.ask(caption, wanted);
    },
    setLanguages: (wanted) => {
      const distinct: string[] = [];
      for (const language of wanted)
        if (!distinct.some((each) => sameLanguage(each, language))) distinct.push(language);
      languages = distinct.slice(0, MOST_LANGUAGES);
      translations.keepOnly(languages);
    },
    forget: (memberId) => {
      forgottenMs.set(memberId, clock.nowMs());
      for (const { id, speakerId } of open.values())
        if (speakerId === memberId) {
          translations.drop(id);
          open.delete(id);
        }
      said = said.filter(({ speakerId }) => speakerId !== memberId);
      for (const sink of sinks(true)) sink.forget(memberId);
    },
    settled: async () => {
      do {
        await translations.settled();
        await Promise.all([...boards].map((board) => board.settled()));
      } while (!translations.isIdle);
    },
    end: async (latestMs) => {
      isOver = true;
      for (const { id, isFinal } of open.values()) if (!isFinal) takeAway(id);
      await waitUntil(clock, latestMs - SHOWING_MS, translations.settled());
      for (const { id, translations: pending } of open.values()) {
        translations.drop(id);
        for (const [language, { done }] of pending)
          if (!done) retranslated(id, language, undefined);
      }
      await translations.settled();
      await Promise.all([...boards].map((board) => board.end(latestMs)));
    },
  };
};
