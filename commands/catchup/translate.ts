import { reasonSentence, toAppError, type AppError } from '../../src/errors.ts';
import type { Message } from '../../src/model/message.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Maybe } from '../../src/rich-text/compose.ts';
import { resultOf, say } from '../../src/command/helpers.ts';
import type { ReadingContext } from './reading.ts';

/** Messages that are translated at once. */
const AT_ONCE = 8;

export interface ReadMessage {
  readonly message: Message;
  /** The translation, or the text itself where there is none. */
  readonly text: RichText;
}

export interface TranslatedMessages {
  readonly read: readonly ReadMessage[];
  /** The messages that were translated. */
  readonly translated: number;
  /** The messages that could not be translated, and why not the first of them. */
  readonly failed: number;
  readonly reason: AppError | undefined;
}

/** Translates messages, for so long; those that fail, or come too late, stay as they are. */
export const translated = async (
  messages: readonly Message[],
  {
    to,
    lane,
    withinMs,
  }: { readonly to: string; readonly lane: 'interactive' | 'batch'; readonly withinMs: number },
  { channel, named, services, signal }: ReadingContext,
): Promise<TranslatedMessages> => {
  const late = AbortSignal.timeout(withinMs);
  const soon = AbortSignal.any([signal, late]);
  const { translations } = services.messages;
  const keep = translations.begin();
  const expected = services.watches.of(channel)?.languages ?? [];
  let changed = 0;
  let failed = 0;
  let reason: AppError | undefined;
  const asked = messages.filter((message) => !translations.of(message, to));
  const written = await services.messages.written(asked, soon);
  const sources = new Map(asked.map((message, index) => [message, written[index]]));
  const textOf = async (message: Message): Promise<RichText> => {
    const known = translations.of(message, to);
    if (known?.outcome === 'translated') changed += 1;
    if (known) return known.text;
    const text = sources.get(message) ?? message.text;
    const words = (await named?.(text)) ?? text;
    try {
      soon.throwIfAborted();
      const request = { text: words, to, expected, place: channel, lane, whole: true } as const;
      const made = await resultOf(services.translator.translate(request, soon));
      keep(message, to, made);
      if (made.outcome === 'translated') changed += 1;
      return made.text;
    } catch (thrown) {
      signal.throwIfAborted();
      failed += 1;
      reason ??= toAppError(late.aborted ? late.reason : thrown);
      return words;
    }
  };
  const read: ReadMessage[] = [];
  for (let at = 0; at < messages.length; at += AT_ONCE) {
    const some = messages.slice(at, at + AT_ONCE);
    const texts = await Promise.all(some.map(textOf));
    read.push(...some.map((message, index) => ({ message, text: texts[index] ?? message.text })));
  }
  return { read, translated: changed, failed, reason };
};

/** Says how many messages stand as they were written, and why. */
export const failedNote = (
  { failed, reason }: TranslatedMessages,
  { t }: ReadingContext,
): Maybe<RichText> =>
  reason && t('catchup.untranslated', { count: failed, reason: say(t, reasonSentence(reason)) });
