import type { EngineOrder } from './config.ts';
import type { Ability } from './ability.ts';

export interface LanguagePair {
  readonly from: string;
  readonly to: string;
}

/** True when a language is meant by a code: `es` means every Spanish, `es-MX` that of Mexico. */
const isMeant = (language: string, code: string): boolean => {
  const [wanted, meant] = [language.toLowerCase(), code.toLowerCase()];
  return wanted === meant || wanted.startsWith(`${meant}-`);
};

/** Sorts engines as the configuration says for the ability, or better for the pair; the rest follow. */
export const inPreferredOrder = <E extends { readonly name: string }>(
  engines: readonly E[],
  orders: readonly EngineOrder[],
  ability: Ability,
  pair: LanguagePair | undefined,
): readonly E[] => {
  const ofAbility = orders.filter((order) => order.ability === ability);
  const order =
    ofAbility.find(
      ({ from, to }) =>
        pair &&
        from !== undefined &&
        to !== undefined &&
        isMeant(pair.from, from) &&
        isMeant(pair.to, to),
    ) ?? ofAbility.find(({ from }) => from === undefined);
  if (!order) return engines;
  const place = ({ name }: E): number => {
    const at = order.engines.indexOf(name);
    return at < 0 ? order.engines.length : at;
  };
  return engines.toSorted((a, b) => place(a) - place(b));
};
