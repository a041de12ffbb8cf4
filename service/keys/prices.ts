import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import type { Ability } from '../config.ts';

/** Amounts of money are whole billionths of a US dollar, which JavaScript adds exactly. */
const NANO_PER_USD = 1_000_000_000;

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

const FILE = fileURLToPath(new URL('./prices.json', import.meta.url));

/** The prices of an ability by engine, in nano-USD; `default` is that of all others. */
const pricesByEngine = z
  .record(
    z.string(),
    z.string({ error: 'must be an amount in quotation marks' }).transform((text, ctx) => {
      const nanoUsd = parseUsd(text);
      if (nanoUsd === undefined)
        ctx.addIssue({ code: 'custom', message: 'must be an amount in USD, such as "0.015"' });
      return nanoUsd ?? 0;
    }),
  )
  .refine((prices) => 'default' in prices, 'needs the price of all other engines as "default"');

const pricesFile = z.strictObject({
  speechPer1000Characters: pricesByEngine,
  recognitionPerMinute: pricesByEngine,
  translationPer1000Characters: pricesByEngine,
  chatPer1000Tokens: pricesByEngine,
});
export type Prices = z.infer<typeof pricesFile>;

/** The prices of each ability, and what is counted: characters, milliseconds of audio or tokens. */
const COUNTED = {
  speech: { prices: 'speechPer1000Characters', per: 1_000 },
  recognition: { prices: 'recognitionPerMinute', per: 60_000 },
  translation: { prices: 'translationPer1000Characters', per: 1_000 },
  chat: { prices: 'chatPer1000Tokens', per: 1_000 },
} as const satisfies Record<Ability, { prices: keyof Prices; per: number }>;

/** Work that an engine did: characters of speech and translation, milliseconds of audio, tokens of a chat. */
export interface Use {
  readonly ability: Ability;
  readonly engine: string;
  readonly amount: number;
}

/** Returns the price of a use in nano-USD, rounded up. */
export const priceOf = (prices: Prices, { ability, engine, amount }: Use): number => {
  const { prices: name, per } = COUNTED[ability];
  const byEngine = prices[name];
  const price = BigInt(byEngine[engine] ?? byEngine.default ?? 0);
  return Number((price * BigInt(Math.ceil(amount)) + BigInt(per - 1)) / BigInt(per));
};

/** Reads prices; throws `AppError` (`config`) for a file that is none, or names an unknown engine. */
export const loadPrices = async (file = FILE, engines: readonly string[] = []): Promise<Prices> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new AppError('config', `The prices, ${file}, cannot be read`, { cause });
  }
  const refuse = (reason: string): AppError =>
    new AppError('config', `The prices, ${file}, cannot be used: ${reason}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refuse('it is no JSON');
  }
  const parsed = pricesFile.safeParse(json);
  if (!parsed.success)
    throw refuse(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    );
  const known = new Set([...engines, 'default']);
  const stray = Object.values(parsed.data)
    .flatMap((prices) => Object.keys(prices))
    .find((name) => !known.has(name));
  if (engines.length > 0 && stray !== undefined)
    throw refuse(`${stray} is no engine; there are ${engines.join(', ')}`);
  return parsed.data;
};
