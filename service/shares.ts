/** A share from 0 to 1 of a part, and how much the part counts. */
export interface WeightedShare {
  readonly share: number | null | undefined;
  readonly weight: number;
}

/** The weighted mean of shares; undefined where one of them is not known, and of none. */
export const meanShare = (parts: readonly WeightedShare[]): number | undefined => {
  let all = 0;
  let sum = 0;
  for (const { share, weight } of parts) {
    if (typeof share !== 'number') return undefined;
    all += weight;
    sum += weight * Math.min(1, Math.max(0, share));
  }
  return all === 0 ? undefined : sum / all;
};
