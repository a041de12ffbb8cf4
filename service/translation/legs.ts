import { setImmediate } from 'node:timers/promises';
import { LANGUAGES, PSEUDO_LOCALE } from '../../src/text/language/language-names.ts';
import { sameLanguage } from '../../src/text/language/languages.ts';
import type { Engines, Offer } from '../engine-loader.ts';

type TranslationOffer = Offer<'translation'>;
type Offers = Pick<Engines, 'offers'>;

/** A part of a route: one translation, which any of its engines can make. */
export interface Leg {
  readonly from: string;
  readonly to: string;
  /** The engines that translate the pair, best first; at least one. */
  readonly offers: readonly TranslationOffer[];
}

/** Languages that join two engines: English, and those that many pairs of Apertium share. */
const PIVOTS = ['en', 'es', 'fr', 'pt', 'ca', 'it', 'ru', 'sv', 'hr'];

const leads = (offers: readonly TranslationOffer[], from: string, to: string): boolean =>
  offers.some(({ engine }) => engine.translates(from, to));

/** The languages between any and `to`, the most used first. */
const pivotsTo = (offers: readonly TranslationOffer[], to: string): readonly string[] =>
  PIVOTS.filter((pivot) => !sameLanguage(pivot, to) && leads(offers, pivot, to));

const pivotFrom = (
  offers: readonly TranslationOffer[],
  from: string,
  pivots: readonly string[],
): string | undefined =>
  pivots.find((pivot) => !sameLanguage(pivot, from) && leads(offers, from, pivot));

/** True for an engine's own name, and for a model's that begins with it, as they are in replies. */
const isNamed = (model: string, { name }: TranslationOffer): boolean =>
  model === name || model.startsWith(`${name}-`);

const legOf = async (
  engines: Offers,
  { from, to, model = '' }: { from: string; to: string; model?: string | undefined },
): Promise<Leg> => {
  const all = await engines.offers('translation', { from, to });
  const offers = all
    .filter(({ engine }) => engine.translates(from, to))
    .toSorted((a, b) => Number(isNamed(model, b)) - Number(isNamed(model, a)));
  return { from, to, offers };
};

/**
 * Finds the way from one language to the other: one leg where an engine translates the pair, two of
 * different engines through a language that both know, or none.
 *
 * @param model the engine that is asked first where it can, by its name or that of one of its models
 */
export const findLegs = async (
  engines: Offers,
  from: string,
  to: string,
  model?: string,
): Promise<readonly Leg[]> => {
  const direct = await legOf(engines, { from, to, model });
  if (direct.offers.length > 0) return [direct];
  const offers = await engines.offers('translation');
  const pivot = pivotFrom(offers, from, pivotsTo(offers, to));
  if (pivot === undefined) return [];
  return Promise.all([
    legOf(engines, { from, to: pivot, model }),
    legOf(engines, { from: pivot, to, model }),
  ]);
};

/** Finds the languages from which there is a way into `to`; lets other work go on in between. */
export const findSources = async (engines: Offers, to: string): Promise<readonly string[]> => {
  const offers = await engines.offers('translation');
  const pivots = pivotsTo(offers, to);
  const sources: string[] = [];
  for (const from of LANGUAGES) {
    await setImmediate();
    if (from === PSEUDO_LOCALE || sameLanguage(from, to)) continue;
    if (leads(offers, from, to) || pivotFrom(offers, from, pivots) !== undefined)
      sources.push(from);
  }
  return sources;
};

/** True when there currently is a way into `to`: from `from`, or from any language. */
export const translates = async (engines: Offers, to: string, from?: string): Promise<boolean> => {
  if (from !== undefined) return (await findLegs(engines, from, to)).length > 0;
  const offers = await engines.offers('translation');
  return LANGUAGES.some((source) => source !== to && leads(offers, source, to));
};
