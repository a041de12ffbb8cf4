import { createLru } from '../../async/lru.ts';
import { joinTexts } from '../../text/local-agreement.ts';
import { REALTIME_RATE_HZ, type FinalResult, type PartialResult } from './contract.ts';
import type { SpokenWord } from '../../model/message.ts';
import type { RecognitionResult } from '../../ports/recogniser.ts';
import type { Span } from './audio-tail.ts';

/** Ids of replaced results that are remembered; a deployment repeats those of the last seconds. */
const MOST_REPLACED = 1_000;
/** Audio behind the end of an utterance after which no final is expected for it any more. */
const FINAL_WITHIN = 20 * REALTIME_RATE_HZ;

interface Final {
  readonly span: Span;
  readonly text: string;
  readonly language: string;
  readonly confidence: number | undefined;
  readonly noSpeech: number | undefined;
  readonly words: readonly SpokenWord[] | undefined;
}

interface Open {
  /** Id of its newest partial result; undefined where none was named. */
  resultId: string | undefined;
  start: number;
  /** End of its speech; undefined while it goes on. */
  end: number | undefined;
  text: string;
  language: string;
  isStable: boolean;
  seq: number;
}

/** The text of a session so far; its words have their times in the audio of the session. */
export interface RealtimeText extends RecognitionResult {
  /** True when the text only grows from now on, as far as the service promises it. */
  readonly isStable: boolean;
}

const toSamples = (ms: number): number => Math.round((ms * REALTIME_RATE_HZ) / 1_000);

/** The lowest of the shares that are known, from 0 to 1; undefined where none is. */
const lowest = (shares: readonly (number | undefined)[]): number | undefined => {
  const known = shares.filter((share) => share !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(1, ...known));
};

/** Collects the results of a session over all of its connections, each result once. */
export const createResults = () => {
  const finals = new Map<string, Final>();
  const replaced = createLru<string, true>(MOST_REPLACED);
  let open = new Map<string, Open>();
  const finished = createLru<string, true>(MOST_REPLACED);
  /** Number of the connection, whose ids are its own, and the position at which its audio begins. */
  let connection = 0;
  let base = 0;

  const baseMs = (): number => (1_000 * base) / REALTIME_RATE_HZ;
  const keyOf = (id: string): string => `${connection} ${id}`;
  const position = (ms: number | null | undefined): number | undefined =>
    ms === null || ms === undefined ? undefined : base + toSamples(ms);

  const openAt = (utteranceId: string, start: number): Open | undefined => {
    const key = keyOf(utteranceId);
    if (finished.get(key)) return undefined;
    const known = open.get(key);
    if (known) return known;
    const made: Open = {
      resultId: undefined,
      start,
      end: undefined,
      text: '',
      language: '',
      isStable: true,
      seq: -1,
    };
    open.set(key, made);
    return made;
  };

  /** Removes what a final replaces: another, or the words of an utterance that it takes over. */
  const replace = (id: string): void => {
    replaced.set(keyOf(id), true);
    finals.delete(keyOf(id));
    for (const [utterance, { resultId }] of open)
      if (resultId === id) {
        open.delete(utterance);
        finished.set(utterance, true);
      }
  };

  const ordered = (): Final[] =>
    [...finals.values()].toSorted((a, b) => a.span.start - b.span.start);

  return {
    /** Begins another connection: what was not final is forgotten. */
    connected: (start: number): void => {
      connection += 1;
      base = start;
      open = new Map();
    },
    started: (utteranceId: string, startMs: number | null | undefined, sent: number): void =>
      void openAt(utteranceId, position(startMs) ?? sent),
    stopped: (utteranceId: string, endMs: number | null | undefined, sent: number): void => {
      const one = open.get(keyOf(utteranceId));
      if (one) one.end = position(endMs) ?? sent;
    },
    /** Takes a partial result; false when it is older than what is known. */
    partial: (message: PartialResult, sent: number): boolean => {
      const one = openAt(message.utterance_id, position(message.audio_start_ms) ?? sent);
      const seq = message.seq ?? (one?.seq ?? 0) + 1;
      if (!one || seq <= one.seq) return false;
      one.seq = seq;
      one.resultId = message.result_id;
      one.text = message.text.trim();
      one.language = message.language ?? '';
      one.isStable = message.stable ?? false;
      return true;
    },
    /**
     * Takes a final result; undefined when it is known or was replaced, otherwise its stretch.
     *
     * @param sent position up to which audio was sent: the latest end that it can have
     */
    final: (message: FinalResult, sent: number): Span | undefined => {
      const key = keyOf(message.result_id);
      if (replaced.get(key)) return undefined;
      const utterance = keyOf(message.utterance_id);
      const one = open.get(utterance);
      open.delete(utterance);
      for (const other of message.replaces ?? []) if (other !== message.result_id) replace(other);
      finished.set(utterance, true);
      const known = finals.get(key);
      const end = Math.min(sent, position(message.audio_end_ms) ?? one?.end ?? sent);
      const start = Math.min(end, position(message.audio_start_ms) ?? one?.start ?? base);
      finals.set(key, {
        span: known?.span ?? { start, end },
        text: message.text.trim(),
        language: message.language ?? '',
        confidence: message.confidence ?? undefined,
        noSpeech: message.no_speech_prob ?? undefined,
        words: message.words?.map((word) => ({
          ...word,
          startMs: baseMs() + word.startMs,
          endMs: baseMs() + word.endMs,
        })),
      });
      return known ? undefined : { start, end };
    },
    /** The position up to which nothing more is expected, once `span` is final. */
    settledThrough: ({ end }: Span): number => {
      for (const [key, one] of open)
        if (one.end !== undefined && one.end + FINAL_WITHIN < end) open.delete(key);
      return Math.min(end, ...[...open.values()].map(({ start }) => start));
    },
    text: (): RealtimeText => {
      const parts = ordered();
      const spoken = [...open.values()].filter(({ text }) => text !== '');
      const words = parts.flatMap((part) => part.words ?? []);
      const isTimed = spoken.length === 0 && parts.every((part) => part.words ?? part.text === '');
      return {
        text: joinTexts([...parts, ...spoken].map(({ text }) => text)),
        language: [...parts, ...spoken].find(({ language }) => language !== '')?.language ?? '',
        confidence: lowest(parts.map(({ confidence }) => confidence)),
        noSpeech: lowest(parts.map(({ noSpeech }) => noSpeech)),
        words: isTimed && words.length > 0 ? words : undefined,
        isStable: spoken.every(({ isStable }) => isStable),
      };
    },
  };
};
