import {
  excerpt,
  isBlankMessage,
  parseMarkdown,
  quotedWords,
  resultOf,
  shorten,
  summaryTurns,
} from '../../src/command/helpers.ts';
import { toAppError } from '../../src/errors.ts';
import type { Message } from '../../src/model/message.ts';
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
/** Longest time for a summary. */
const SUMMARY_MS = 45_000;

/** The newest lines that a language model is given. */
const newestLines = async (
  messages: readonly Message[],
  { named, services, signal }: ReadingContext,
): Promise<readonly string[]> => {
  let left = READ_CHARS;
  const texts = await services.messages.written(messages, signal);
  const lineOf = async ({ author, ...own }: Message, index: number): Promise<string> => {
    const text = texts[index] ?? own.text;
    const words = excerpt((await named?.(text)) ?? text, MESSAGE_CHARS);
    return `${quotedWords(author.name, NAME_CHARS)}: ${words}`;
  };
  const written = (await Promise.all(messages.map(lineOf))).toReversed();
  const end = written.findIndex((line) => {
    left -= line.length;
    return left < 0;
  });
  return written.slice(0, end < 0 ? undefined : end).toReversed();
};

/**
 * Sums messages up in a language, or says that this was not possible; of more than a model takes the newest. Nothing is shown
 * of a message that is gone, or was edited, by the time the summary is written.
 */
export const summaryOf = async (
  { to }: CatchUp,
  messages: readonly Message[],
  ctx: ReadingContext,
): Promise<RichText> => {
  const { channel, services, signal, t } = ctx;
  const soon = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]);
  const language = services.languages.name(to, 'en');
  const asker = { lane: 'interactive', space: channel.space } as const;
  const all = (await withReplies(messages, REPLIES, ctx)).messages;
  let given: readonly Message[] = all.filter(({ text }) => !isBlankMessage(text));
  let count = given.length;
  for (;;)
    try {
      const written = await newestLines(given, ctx);
      given = given.slice(given.length - written.length);
      const turns = summaryTurns(written, language);
      const answer = await resultOf(services.assistant.answer(turns, asker, soon));
      const now = (await stillIn(given, ctx)).messages;
      if (now.length === given.length && now.every((one, at) => isSame(given[at], one))) {
        const isAll = given.length === count ? 'yes' : 'no';
        const params = { count: given.length, isAll };
        return lines(t('catchup.summary', params), parseMarkdown(shorten(answer, SUMMARY_CHARS)));
      }
      count -= given.length - now.length;
      given = now;
      if (given.length === 0) return t('catchup.no-summary');
    } catch (thrown) {
      signal.throwIfAborted();
      if (toAppError(thrown).code !== 'too-large' || given.length < 2)
        return t('catchup.no-summary');
      given = given.slice(Math.ceil(given.length / 2));
    }
};
