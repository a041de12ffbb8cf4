import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import type { Ability } from '../ability.ts';
import { parseUsd } from './money.ts';

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
