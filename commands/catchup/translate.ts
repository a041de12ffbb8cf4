import { reasonSentence, toAppError, userError, type AppError } from '../../src/errors.ts';
import type { Message } from '../../src/model/message.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Maybe } from '../../src/rich-text/compose.ts';
import { isBlankMessage, isDeepStrictEqual, resultOf, say } from '../../src/command/helpers.ts';
import type { Translation } from '../../src/command/services.ts';
import { stillIn, type ReadingContext } from './reading.ts';

/** Messages that are translated at once. */
const AT_ONCE = 8;
/** Times that what changed meanwhile is translated: some messages change every second. */
const MOST_ROUNDS = 2;

export interface ReadMessage {
  readonly message: Message;
  /** The translation, or the text itself where there is none. */
  readonly text: RichText;
  readonly outcome: Translation['outcome'] | 'failed';
}

export interface TranslatedMessages {
  readonly read: readonly ReadMessage[];
  readonly translated: number;
  /** The messages that could not be translated, and why not the first of them. */
  readonly failed: number;
  readonly reason: AppError | undefined;
  /** The messages of people who opted out meanwhile. */
  readonly leftOut: number;
}

export interface TranslatingOptions {
  readonly to: string;
  readonly lane: 'interactive' | 'batch';
  readonly withinMs: number;
  /** The messages as they were just read. */
  readonly known?: readonly ReadMessage[];
}

/** True for a message whose text is still the same. */
export const isSame = (a: Message | undefined, b: Message): boolean =>
  a?.ref.id === b.ref.id && isDeepStrictEqual(a.text, b.text);

/**
 * Translates messages, for so long; those that fail, or come too late, stay as they are. What must not be shown any more once
 * the service has answered is left out, and what was edited meanwhile is translated once more; what is edited again then stands
 * as it is. Rejects where the person may not read the channel any more.
 */
export const translated = async (
  messages: readonly Message[],
  { to, lane, withinMs, known: before = [] }: TranslatingOptions,
  ctx: ReadingContext,
): Promise<TranslatedMessages> => {
  const { channel, named, services, signal } = ctx;
  const late = AbortSignal.timeout(withinMs);
  const soon = AbortSignal.any([signal, late]);
  const { translations } = services.messages;
  const keep = translations.begin();
  const expected = services.watches.of(channel)?.languages ?? [];
  let reason: AppError | undefined;
  const translate = async (message: Message, text: RichText): Promise<ReadMessage> => {
    const words = (await named?.(text)) ?? text;
    try {
      soon.throwIfAborted();
      const request = { text: words, to, expected, place: channel, lane, whole: true } as const;
      const made = await resultOf(services.translator.translate(request, soon));
      keep(message, to, made);
      return { message, ...made };
    } catch (thrown) {
      signal.throwIfAborted();
      reason ??= toAppError(late.aborted ? late.reason : thrown);
      return { message, text: words, outcome: 'failed' };
    }
  };
  const known = new Map(before.map((read) => [read.message.ref.id, read]));
  const readOf = (message: Message): ReadMessage | undefined => {
    const { text } = message;
    if (isBlankMessage(text)) return { message, text, outcome: 'nothing-to-translate' };
    const read = known.get(message.ref.id);
    if (read && isSame(read.message, message)) return { ...read, message };
    const kept = translations.of(message, to);
    if (kept) known.set(message.ref.id, { message, ...kept });
    return kept && { message, ...kept };
  };
  let asked = messages;
  let leftOut = 0;
  for (let round = 1; ; round += 1) {
    const unread = asked.filter((message) => !readOf(message));
    const written = await services.messages.written(unread, soon);
    for (let at = 0; at < unread.length; at += AT_ONCE) {
      const some = unread.slice(at, at + AT_ONCE);
      const texts = some.map((one, index) => translate(one, written[at + index] ?? one.text));
      for (const read of await Promise.all(texts)) known.set(read.message.ref.id, read);
    }
    const now = unread.length > 0 ? await stillIn(asked, ctx) : { messages: asked, leftOut: 0 };
    leftOut += now.leftOut;
    asked = now.messages;
    if (round < MOST_ROUNDS && !asked.every((message) => readOf(message))) continue;
    const shown = async (message: Message): Promise<ReadMessage> => {
      const already = readOf(message);
      if (already) return already;
      reason ??= userError('unavailable', 'catchup.changing');
      return { message, text: (await named?.(message.text)) ?? message.text, outcome: 'failed' };
    };
    const read = await Promise.all(asked.map(shown));
    const count = (outcome: ReadMessage['outcome']): number =>
      read.filter((one) => one.outcome === outcome).length;
    return { read, translated: count('translated'), failed: count('failed'), reason, leftOut };
  }
};

/** Says how many messages stand as they were written, and why. */
export const failedNote = (
  { failed, reason }: TranslatedMessages,
  { t }: ReadingContext,
): Maybe<RichText> =>
  failed > 0 &&
  reason &&
  t('catchup.untranslated', { count: failed, reason: say(t, reasonSentence(reason)) });
