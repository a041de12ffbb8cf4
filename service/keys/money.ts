/** Amounts of money are whole billionths of a US dollar, which JavaScript adds exactly. */
export const NANO_PER_USD = 1_000_000_000;

/** The most that a key can have: far from the largest number that is exact. */
export const MOST_NANO_USD = 1_000_000 * NANO_PER_USD;

/** Decimals of an amount that people read; smaller parts are left out. */
const SHOWN_DECIMALS = 4;

/** Reads an amount such as `10` or `0.0025` as nano-USD; undefined for anything else. */
export const parseUsd = (text: string): number | undefined => {
  const { whole, decimals = '' } =
    /^(?<whole>\d{1,7})(?:\.(?<decimals>\d{1,9}))?$/.exec(text)?.groups ?? {};
  if (whole === undefined) return undefined;
  const nanoUsd = Number(whole) * NANO_PER_USD + Number(decimals.padEnd(9, '0'));
  return nanoUsd <= MOST_NANO_USD ? nanoUsd : undefined;
};

/** Writes an amount as `10.00 USD`, with up to four decimals where it has them. */
export const formatUsd = (nanoUsd: number): string => {
  const shown = Math.trunc(nanoUsd / 10 ** (9 - SHOWN_DECIMALS));
  const digits = String(Math.abs(shown)).padStart(SHOWN_DECIMALS + 1, '0');
  const decimals = digits.slice(-SHOWN_DECIMALS).replace(/0{1,2}$/, '');
  return `${shown < 0 ? '-' : ''}${digits.slice(0, -SHOWN_DECIMALS)}.${decimals} USD`;
};
