import { DAY_MS, HOUR_MS, MINUTE_MS } from '../async/time.ts';
import type { Services } from '../command/services.ts';
import { type AppError, userError } from '../errors.ts';
import type { Space } from '../model/place.ts';
import type { RichText } from '../model/rich-text.ts';
import { plainText } from '../model/walk-rich-text.ts';
import { countCodePoints } from '../text/unicode.ts';

/** An intended use: a number of code points, or audio of unknown length. */
export type Demand = { readonly characters: number } | 'audio';

/** Counts the code points of a text: of rich text those of its words, without markup. */
export const charactersOf = (text: RichText | string): number =>
  countCodePoints(typeof text === 'string' ? text : plainText(text));

/**
 * Checks a space's limits for today. Resolves with `rate-limited`, with the use so far and the time
 * of the next count, or with undefined when more may be used. Characters must fit whole; audio may
 * begin while a minute is left.
 *
 * @param now ms since 1970
 */
export const limitFault = async (
  { spaces, usage }: Pick<Services, 'spaces' | 'usage'>,
  space: Space,
  demand: Demand,
  now: () => number = Date.now,
): Promise<AppError | undefined> => {
  const { dailyCharacters, dailyAudioMinutes } = await spaces.of(space);
  const limit = demand === 'audio' ? dailyAudioMinutes : dailyCharacters;
  if (limit === undefined) return undefined;
  const today = await usage.today(space);
  const used = demand === 'audio' ? Math.floor(today.audioMs / MINUTE_MS) : today.characters;
  if (demand === 'audio' ? used < limit : used + demand.characters <= limit) return undefined;
  const leftMs = DAY_MS - (now() % DAY_MS);
  return userError(
    'rate-limited',
    demand === 'audio' ? 'limits.audio' : 'limits.characters',
    { used, limit, hours: Math.ceil(leftMs / HOUR_MS) },
    { retryAfterMs: leftMs },
  );
};
