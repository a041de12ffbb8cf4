import type { SpeechSpan } from '../src/audio/vad.ts';
import type { SpokenWord } from '../src/model/message.ts';
import type { RecognisedText } from './engine.ts';
import { toLanguage } from './language.ts';
import { meanShare } from './shares.ts';
import type { SpeakerSpan } from './speaker-spans.ts';

/** A part of a recording and what was heard in it. */
export interface HeardSpan extends SpeakerSpan {
  readonly heard: RecognisedText;
}

const lengthOf = ({ startMs, endMs }: SpeechSpan): number => endMs - startMs;

/** The language of a span as a BCP 47 code; undefined where none was named. */
export const spanLanguage = ({ heard: { language } }: HeardSpan): string | undefined =>
  language ? (toLanguage(language) ?? language) : undefined;

/** The languages of spans with the time of words in each, that of the most first. */
export const languageTimes = (
  spans: readonly HeardSpan[],
): readonly (readonly [language: string, ms: number])[] => {
  const times = new Map<string, number>();
  for (const span of spans) {
    const language = spanLanguage(span);
    if (language === undefined) continue;
    const ms = span.heard.text === '' ? 0 : lengthOf(span);
    times.set(language, (times.get(language) ?? 0) + ms);
  }
  return [...times].toSorted(([, a], [, b]) => b - a);
};

/** The mean of shares, weighted by length; undefined where a span with words has none. */
export const meanOfSpans = (
  spans: readonly HeardSpan[],
  shareOf: (heard: RecognisedText) => number | undefined,
): number | undefined =>
  meanShare(
    spans
      .filter(({ heard }) => heard.text !== '')
      .map((span) => ({ share: shareOf(span.heard), weight: lengthOf(span) })),
  );

/** The words of spans with their times in the recording; undefined where a span with words has none. */
export const wordsOfSpans = (spans: readonly HeardSpan[]): readonly SpokenWord[] | undefined => {
  const lists = spans
    .filter(({ heard }) => heard.text !== '')
    .map(({ startMs: fromMs, heard }) =>
      heard.words?.map(({ text, startMs, endMs }) => ({
        text,
        startMs: fromMs + startMs,
        endMs: fromMs + endMs,
      })),
    );
  return lists.every((words) => words !== undefined) ? lists.flat() : undefined;
};

/** True where hotwords were used in all that was heard. */
export const usesHotwords = (spans: readonly HeardSpan[]): boolean =>
  spans.every(({ heard }) => heard.text === '' || heard.hotwordsUsed === true);
