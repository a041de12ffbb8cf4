import { hasGrown } from '../src/text/reply/growth.ts';
import {
  judgeBeginning,
  judgeTranslation,
  translationSoFar,
  type ReplyFault,
  type TranslationTask,
} from '../src/text/reply/translation-reply.ts';
import type { EngineTranslationRequest, TranslationEngine, TranslationPiece } from './engine.ts';
import type { Offer } from './engine-loader.ts';
import { ContractError } from './errors.ts';
import { asFull } from './fail-over.ts';
import { holding } from './respond.ts';
import { translateKeeping } from './translation/pieces.ts';

const notTranslated = (fault: ReplyFault): ContractError =>
  new ContractError('ErrBadReply', `No usable translation: the engine’s reply is ${fault}.`);

/**
 * Judges an engine's translation while it passes. Nothing of a short one is yielded before all of it is
 * judged, and nothing of a longer one before its beginning is: a reply that is no translation is
 * `ErrBadReply`, mostly before any of it was yielded. What the engine put around it is left out.
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
  for await (const piece of pieces) {
    begun();
    last = { ...last, ...piece };
    if (piece.text === '') continue;
    reply += piece.text;
    if (!hasGrown(judgedChars, reply.length)) continue;
    judgedChars = reply.length;
    const soFar = judgeBeginning(task, reply, sent.length);
    if (soFar?.fault !== undefined) throw notTranslated(soFar.fault);
    if (!soFar?.text.startsWith(sent) || soFar.text === sent) continue;
    yield { text: soFar.text.slice(sent.length), model: piece.model };
    sent = soFar.text;
  }
  const { text, fault } = judgeTranslation(task, reply);
  if (fault !== undefined) throw notTranslated(fault);
  // A quotation mark at the beginning, or a note at the end, may have been sent already.
  const whole = [text, translationSoFar(task, reply)].find((each) => each.startsWith(sent));
  if (whole === undefined && !sent.startsWith(text)) throw notTranslated('not what it began as');
  if (last && whole !== undefined && whole !== sent)
    yield { text: whole.slice(sent.length), model: last.model };
  if (last?.usage) yield { ...last, text: '' };
}

/**
 * Translates by one engine, in its turns, and judges what comes; see `judged`. The result is to be read or
 * ended, for it holds a place. Rejects with `ErrRateLimited` where the engine has none.
 *
 * @param accountName the key whose requests take turns with those of others
 */
export const translateJudged = async (
  translation: EngineTranslationRequest,
  { engine, limiter }: Offer<'translation'>,
  accountName: string,
  signal: AbortSignal,
  begun: () => void,
): Promise<AsyncGenerator<TranslationPiece>> => {
  using held = new DisposableStack();
  const request = held.use(limiter.admit(accountName));
  const turn = (): Promise<Disposable> => request.turn(signal).catch(asFull);
  if (!engine.takesTurns) held.use(await turn());
  const translate: TranslationEngine['translate'] = (asked, wanted) =>
    engine.translate(asked, wanted, turn);
  const pieces = translateKeeping({ ...engine, translate }, translation, signal);
  const { text: source, ...pair } = translation;
  const task = { source, ...pair, rules: engine.rules?.(translation) ?? [] };
  return holding(held.move(), judged(pieces, task, begun));
};
