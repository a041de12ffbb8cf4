import type { DiscordFake, FakeChannel, FakeMessage } from '../../test/fakes/discord/index.ts';
import { wordsShown } from '../../test/fakes/numbered-speech.ts';
import type { Said } from './talk.ts';

/** A time in which nobody could have heard, as of `performance.now()`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What became of the utterances of one stretch of time. */
export interface Outcome {
  readonly utterances: number;
  /** Of which not half of the words were shown, by speaker. */
  readonly lost: Readonly<Record<string, number>>;
  /** The same, where nobody could have heard them. */
  readonly unhearable: number;
  readonly lostWords: number;
  /** From the end of the fault to the end of the last word that was lost; 0: none was. */
  readonly deafMs: number;
  /** From the end of an utterance to its caption: the longest. */
  readonly latestMs: number;
  /** Captions without their translation. */
  readonly untranslated: number;
}

export interface Ledger {
  /** @param healedMs when the fault that began the stretch was over */
  outcome(span: Span, healedMs: number): Outcome;
  /** Words that stand twice. */
  readonly twice: readonly string[];
  /** Captions that stand after what was spoken later, and when they were spoken. */
  readonly misplaced: readonly {
    readonly utterance: string;
    readonly atMs: number;
    /** After how much later a one it stands. */
    readonly byMs: number;
  }[];
}

const POST = 'POST /channels/:id/messages';
const EDIT = 'PATCH /channels/:id/messages/:id';
/** From the end of speech to its request: what was said before that meets the next fault. */
const HANGOVER_MS = 700;
/** Two who begin at the same moment may stand in either order. */
const SAME_MOMENT_MS = 150;

const utteranceOf = (word: string): string => word.split('x')[0] ?? '';

const isCaption = (text: string): boolean => /^\*\*\w+\*\*: /.test(text);

/** When each word was first shown, and what else was written into a channel, by its time. */
const readRequests = (discord: DiscordFake, channel: FakeChannel) => {
  const shownMs = new Map<string, number>();
  const notes: { readonly atMs: number; readonly text: string }[] = [];
  for (const { route, path, body, at, status } of discord.requests) {
    const text = body['content'];
    const isWritten = route === POST || route === EDIT;
    if (!isWritten || status !== 200 || typeof text !== 'string') continue;
    if (!path.startsWith(`/channels/${channel.id}/`)) continue;
    const atMs = at - performance.timeOrigin;
    const words = [...wordsShown(text), ...(text.match(/\b[A-Z]\d+X\d+\b/g) ?? [])];
    for (const word of words) if (!shownMs.has(word)) shownMs.set(word, atMs);
    if (words.length === 0 && !isCaption(text)) notes.push({ atMs, text });
    for (const sign of text.match(/⚠️.*/g) ?? []) notes.push({ atMs, text: sign });
  }
  return { shownMs, notes };
};

/** @param deleted messages with what stood there when they were */
export const readLedger = (
  discord: DiscordFake,
  channel: FakeChannel,
  said: readonly Said[],
  unhearable: readonly Span[],
  deleted: readonly Pick<FakeMessage, 'id' | 'content'>[],
): Ledger & ReturnType<typeof readRequests> => {
  const { shownMs, notes } = readRequests(discord, channel);
  const standing = channel.messages.flatMap(({ content }) => wordsShown(content));
  const all = [...standing, ...deleted.flatMap(({ content }) => wordsShown(content))];
  /** Of what was shown of an utterance: its beginning may not have been heard. */
  const startMs = new Map(
    said.map(({ words, startMs: at, endMs }) => {
      const first = words.findIndex((word) => shownMs.has(word));
      return [utteranceOf(words[0] ?? ''), at + (first * (endMs - at)) / words.length];
    }),
  );

  const misplaced: { utterance: string; atMs: number; byMs: number }[] = [];
  let latest = -Infinity;
  for (const utterance of new Set(standing.map(utteranceOf))) {
    const at = startMs.get(utterance) ?? 0;
    if (at < latest - SAME_MOMENT_MS) misplaced.push({ utterance, atMs: at, byMs: latest - at });
    latest = Math.max(latest, at);
  }

  const outcome = ({ fromMs, toMs }: Span, healedMs: number): Outcome => {
    const lost: Record<string, number> = {};
    const sum = { utterances: 0, unhearable: 0, lostWords: 0, untranslated: 0 };
    let deafMs = 0;
    let latestMs = 0;
    for (const { speaker, words, startMs: start, endMs, unsentWords } of said) {
      if (endMs + HANGOVER_MS < fromMs || endMs + HANGOVER_MS >= toMs) continue;
      sum.utterances += 1;
      const wordMs = (endMs - start) / words.length;
      const endOf = (word: string): number => start + (words.indexOf(word) + 1) * wordMs;
      const missing = words.filter((word) => !shownMs.has(word));
      const isHearable = (word: string): boolean =>
        !unhearable.some((span) => endOf(word) > span.fromMs && endOf(word) - wordMs < span.toMs);
      const missed = missing.filter(isHearable);
      const count = Math.max(0, missed.length - unsentWords);
      sum.lostWords += count;
      if (count > words.length / 2) lost[speaker] = (lost[speaker] ?? 0) + 1;
      else if (missing.length > words.length / 2) sum.unhearable += 1;
      if (count > 0) deafMs = Math.max(deafMs, ...missed.map((word) => endOf(word) - healedMs));
      const shown = words.filter((word) => shownMs.has(word));
      for (const word of shown) latestMs = Math.max(latestMs, shownMs.get(word)! - endMs);
      if (shown.length > 0 && !shown.some((word) => shownMs.has(word.toUpperCase())))
        sum.untranslated += 1;
    }
    return { ...sum, lost, deafMs, latestMs };
  };

  return {
    outcome,
    twice: all.filter((word, at) => all.indexOf(word) !== at),
    misplaced,
    shownMs,
    notes,
  };
};
