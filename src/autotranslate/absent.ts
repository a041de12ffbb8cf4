import { toAppError, userError } from '../errors.ts';
import { series } from '../rich-text/compose.ts';
import type { Mention } from '../rich-text/rich-text.ts';

const NOT_THERE = 'watch.not-there';

/**
 * Resolves with what was found. Rejects with the first failure, or, where the bot is not in some channels, with one error that
 * names all of them.
 */
export const unlessAbsent = async <Found>(
  asked: readonly Promise<Found>[],
): Promise<readonly Found[]> => {
  const results = await Promise.allSettled(asked);
  const failures = results.flatMap((each) =>
    each.status === 'rejected' ? [toAppError(each.reason)] : [],
  );
  const [first] = failures;
  if (!first) return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const other = failures.find(({ sentence: { key } }) => key !== NOT_THERE);
  if (other) throw other;
  const channels = failures.map(({ sentence: { params } }) => params?.['channel'] as Mention);
  throw userError('forbidden', NOT_THERE, {
    ...first.sentence.params,
    channel: series(channels, ', '),
  });
};
