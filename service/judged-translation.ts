import { hasGrown } from '../src/text/reply/growth.ts';
import {
  judgeBeginning,
  judgeTranslation,
  translationSoFar,
  type ReplyFault,
  type TranslationTask,
} from '../src/text/reply/translation-reply.ts';
import type { TranslationPiece } from './engine.ts';
import { ContractError } from './errors.ts';

const notTranslated = (fault: ReplyFault): ContractError =>
  new ContractError('ErrBadReply', `No usable translation: the engine’s reply is ${fault}.`);

/**
 * Judges an engine's translation while it passes. Nothing is yielded until its beginning can be judged:
 * a reply that is no translation is `ErrBadReply`, mostly before any of it was yielded. What the
 * engine put around it is left out.
 *
 * @param begun called at the engine's first words
 */
export async function* judged(
  pieces: AsyncIterable<TranslationPiece>,
  task: TranslationTask,
  begun: () => void,
): AsyncGenerator<TranslationPiece, void, void> {
  let reply = '';
  let judgedChars = 0;
  let sent = '';
  let last: TranslationPiece | undefined;
  const grown = (text: string): TranslationPiece | undefined => {
    if (!last || !text.startsWith(sent) || text.length === sent.length) return undefined;
    const piece = { text: text.slice(sent.length), model: last.model };
    sent = text;
    return piece;
  };
  for await (const piece of pieces) {
    begun();
    last = { ...last, ...piece };
    if (piece.text === '') continue;
    reply += piece.text;
    if (!hasGrown(judgedChars, reply.length)) continue;
    judgedChars = reply.length;
    const beginning = judgeBeginning(task, reply);
    if (beginning?.fault !== undefined) throw notTranslated(beginning.fault);
    const next = beginning && grown(beginning.text);
    if (next) yield next;
  }
  const { text, fault } = judgeTranslation(task, reply);
  if (fault !== undefined) throw notTranslated(fault);
  // A quotation mark at the beginning, or a note at the end, may have been sent already.
  const rest = [text, translationSoFar(task, reply)].find((each) => each.startsWith(sent));
  if (rest === undefined && !sent.startsWith(text)) throw notTranslated('not what it began as');
  const end = rest !== undefined && grown(rest);
  if (end) yield end;
  if (last?.usage) yield { ...last, text: '' };
}
