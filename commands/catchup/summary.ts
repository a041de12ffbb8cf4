import {
  excerpt,
  isBlankMessage,
  answerText,
  quotedWords,
  resultOf,
  say,
  shorten,
  summaryTurns,
} from '../../src/command/helpers.ts';
import { reasonSentence, toAppError, userError, type AppError } from '../../src/errors.ts';
import { rootOf, type Message } from '../../src/model/message.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { stillIn, type CatchUp, type ReadingContext } from './reading.ts';
import { withReplies } from './replies.ts';
import { isSame } from './translate.ts';

/** UTF-16 units of a summary, of the messages that it is made of, and of each of these. */
const SUMMARY_CHARS = 1_500;
const READ_CHARS = 12_000;
const MESSAGE_CHARS = 400;
const NAME_CHARS = 32;
/** Replies that a summary reads. */
const REPLIES = { threads: 5, each: 10 };
/** Longest time for a summary, and for its translation where it is in another language. */
const SUMMARY_MS = 45_000;
const TRANSLATION_MS = 15_000;
/** Summaries that are asked for, at most, where messages change meanwhile. */
const MOST_ROUNDS = 2;

/** True of a message among others that is no reply to one of them. */
const isHead = (one: Message, among: readonly Message[]): boolean =>
  among.every(({ ref }) => ref.id !== rootOf(one));

/** The messages from the first one at an index or after it that is no reply to one: replies stand below theirs alone. */
const fromRoot = (messages: readonly Message[], at: number): readonly Message[] => {
  const start = messages.findIndex((one, index) => index >= at && isHead(one, messages));
  return start < 0 ? [] : messages.slice(start);
};

/** The newer half of messages; where that is replies alone, the newest of these and their message. */
const newerHalf = (messages: readonly Message[]): readonly Message[] => {
  const newer = fromRoot(messages, Math.ceil(messages.length / 2));
  if (newer.length > 0) return newer;
  const root = messages.findLastIndex((one) => isHead(one, messages));
  const last = Math.max(root, Math.trunc(messages.length / 2));
  return [...messages.slice(root, root + 1), ...messages.slice(last + 1)];
};

/** The newest messages that a language model is given, and their lines. */
const newestLines = async (
  messages: readonly Message[],
  { named, services, signal }: ReadingContext,
): Promise<{ readonly given: readonly Message[]; readonly written: readonly string[] }> => {
  let left = READ_CHARS;
  const texts = await services.messages.written(messages, signal);
  const lineOf = async ({ author, ...own }: Message, index: number): Promise<string> => {
    const text = texts[index] ?? own.text;
    const words = excerpt((await named?.(text)) ?? text, MESSAGE_CHARS);
    return `${quotedWords(author.name, NAME_CHARS)}: ${words}`;
  };
  const all = await Promise.all(messages.map(lineOf));
  const tooMany = all.findLastIndex((line) => {
    left -= line.length;
    return left < 0;
  });
  const given = fromRoot(messages, tooMany + 1);
  return { given, written: all.slice(all.length - given.length) };
};

const WHOLE_SENTENCES = /^.*(?:[.!?…]+(?=\s)|[。！？]|\n)/su;

/** Yields what a language model writes, until its time is over; no more of it is waited for than is shown. */
const writtenOf = async (
  given: readonly string[],
  to: string,
  soon: AbortSignal,
  { channel, services, signal }: ReadingContext,
): Promise<{ readonly answer: string; readonly isCut: boolean }> => {
  const enough = new AbortController();
  const until = AbortSignal.any([soon, enough.signal]);
  const turns = summaryTurns(given, services.languages.name(to, 'en'));
  const asker = { lane: 'interactive', space: channel.space } as const;
  let answer = '';
  let isCut = false;
  const cut = (): void => {
    isCut = true;
  };
  const states = services.assistant.answer(turns, asker, until, { cut });
  try {
    answer = await resultOf(states, (soFar) => {
      answer = soFar;
      if (soFar.length > SUMMARY_CHARS) enough.abort();
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (soon.aborted) answer = WHOLE_SENTENCES.exec(answer)?.[0] ?? '';
    if (!until.aborted || answer === '') throw thrown;
    isCut = true;
  }
  return { answer: shorten(answer, SUMMARY_CHARS), isCut };
};

/** A text in the reader's language: small models often write in another one. As it is where it cannot be translated. */
const translatedTo = async (
  to: string,
  text: RichText,
  { channel, services, signal }: ReadingContext,
): Promise<RichText> => {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(TRANSLATION_MS)]);
  const request = { text, to, place: channel, lane: 'interactive', whole: true } as const;
  try {
    return (await resultOf(services.translator.translate(request, soon))).text;
  } catch {
    signal.throwIfAborted();
    return text;
  }
};

const noSummary = ({ t }: ReadingContext, reason?: AppError): RichText =>
  lines(t('catchup.no-summary'), reason && say(t, reasonSentence(reason)));

/**
 * Sums messages up in a language, or says why this was not possible; of more than a model takes the newest. Nothing is shown
 * of a message that is gone, or was edited, by the time the summary is written: a second one is made without it.
 */
export const summaryOf = async (
  { to }: CatchUp,
  messages: readonly Message[],
  ctx: ReadingContext,
): Promise<RichText> => {
  const { signal, t } = ctx;
  const soon = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]);
  const all = (await withReplies(messages, REPLIES, ctx)).messages;
  // Replies to a picture would stand below another message.
  const isAnswered = ({ ref }: Message): boolean => all.some((one) => rootOf(one) === ref.id);
  let given: readonly Message[] = all.filter((one) => !isBlankMessage(one.text) || isAnswered(one));
  let count = given.length;
  let rounds = 0;
  while (given.length > 0 && rounds < MOST_ROUNDS)
    try {
      const newest = await newestLines(given, ctx);
      ({ given } = newest);
      const { answer, isCut } = await writtenOf(newest.written, to, soon, ctx);
      const text = await translatedTo(to, answerText(answer), ctx);
      const now = (await stillIn(given, ctx)).messages;
      const unchanged = given.filter((one) => now.some((other) => isSame(other, one)));
      const same = unchanged.filter((one) => isHead(one, given) || !isHead(one, unchanged));
      if (same.length === given.length) {
        const isAll = given.length === count ? 'yes' : 'no';
        const params = { count: given.length, isAll };
        return lines(t('catchup.summary', params), text, isCut && t('chat.cut'));
      }
      rounds += 1;
      count -= given.length - same.length;
      given = same;
    } catch (thrown) {
      signal.throwIfAborted();
      const reason = toAppError(soon.aborted ? soon.reason : thrown);
      if (reason.code !== 'too-large' || given.length < 2) return noSummary(ctx, reason);
      given = newerHalf(given);
    }
  return noSummary(ctx, rounds > 0 ? userError('unavailable', 'catchup.changing') : undefined);
};
