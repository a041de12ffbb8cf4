import type { TokenUsage } from '../../src/api/contract.ts';
import { sameLanguage } from '../../src/text/language/languages.ts';
import { countCodePoints } from '../../src/text/unicode.ts';
import { engineNamesOf, type Offer } from '../engine-loader.ts';
import type { EngineTranslationRequest, TranslationPiece } from '../engine.ts';
import { watched, withFailOver } from '../fail-over.ts';
import { translateJudged } from '../judged-translation.ts';
import { metered, primed } from '../respond.ts';
import type { RouteContext } from '../route.ts';
import { findLegs, findSources } from './legs.ts';

/** Token counts for engines that give none. */
const NO_USAGE: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

export interface WholeTranslation {
  readonly content: string;
  /** Names of the models, joined by `+`. */
  readonly model: string;
  readonly usage: TokenUsage;
}

const joined = async (pieces: AsyncIterable<TranslationPiece>): Promise<WholeTranslation> => {
  let content = '';
  let model = '';
  let usage = NO_USAGE;
  for await (const piece of pieces) {
    content += piece.text;
    ({ model } = piece);
    usage = piece.usage ?? usage;
  }
  return { content, model, usage };
};

/** The translation of a text that is in the language that is asked for already. */
const unchanged = (text: string) => ({
  before: '',
  whole: async (): Promise<WholeTranslation> => ({ content: text, model: 'none', usage: NO_USAGE }),
  stream: async (): Promise<AsyncGenerator<TranslationPiece>> =>
    (async function* () {
      yield { text, model: 'none' };
    })(),
});

/**
 * Finds the engines for a translation between two BCP 47 codes, and makes all of its legs but the last. A text in
 * the language that is asked for stays as it is. Rejects with the contract's error where no engine translates the
 * pair, other requests have reserved the credit, or each engine of a leg fails.
 */
export const overLegs = async (
  request: EngineTranslationRequest,
  { engines, account, log, signal }: Pick<RouteContext, 'engines' | 'account' | 'log' | 'signal'>,
) => {
  const { from, to, text, model } = request;
  if (from === to) return unchanged(text);
  const legs = await findLegs(engines, from, to, model);
  const last = legs.at(-1);
  if (!last && sameLanguage(from, to)) return unchanged(text);
  if (!last) {
    const sources = await findSources(engines, to);
    throw engines.missing({ ability: 'translation', from, to, sources });
  }
  const use = { ability: 'translation', amount: countCodePoints(text) } as const;
  account.reserve(use, engineNamesOf(last.offers));
  const charge = ({ name }: Offer<'translation'>): void => account.charge({ ...use, engine: name });
  const failOver = { ability: 'translation', log, signal } as const;
  const wholeOf = (
    offers: readonly Offer<'translation'>[],
    asked: EngineTranslationRequest,
    came: (offer: Offer<'translation'>) => void,
  ): Promise<WholeTranslation> =>
    withFailOver(
      offers,
      async (offer, either, begun) => {
        const whole = await joined(
          await translateJudged(asked, offer, account.name, either, begun),
        );
        came(offer);
        return whole;
      },
      failOver,
    );
  let asked: EngineTranslationRequest = { ...request, to: last.to };
  let before = '';
  for (const leg of legs.slice(0, -1)) {
    const made = await wholeOf(leg.offers, { ...asked, to: leg.to }, () => {});
    before += `${made.model}+`;
    // What was said before is in the first language.
    asked = { ...asked, from: leg.to, text: made.content, context: '' };
  }
  return {
    /** Names of the models of the legs before, each with a `+` behind it. */
    before,
    whole: async (): Promise<WholeTranslation> => {
      const made = await wholeOf(last.offers, asked, charge);
      return { ...made, model: `${before}${made.model}` };
    },
    /** Resolves once the first words are there. */
    stream: (): Promise<AsyncGenerator<TranslationPiece>> =>
      withFailOver(
        last.offers,
        async (offer, either, begun) => {
          const judged = await translateJudged(asked, offer, account.name, either, begun);
          return primed(metered(watched(offer, judged, signal), () => charge(offer), signal));
        },
        failOver,
      ),
  };
};
