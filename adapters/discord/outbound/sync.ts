import { isDeepStrictEqual } from 'node:util';
import { toAppError } from '../../../src/errors.ts';
import type { MessageWriter } from './message-writer.ts';
import type { Part } from './render.ts';

const isSame = (a: Part | undefined, b: Part): boolean =>
  a?.content === b.content &&
  a.files.length === b.files.length &&
  a.files.every((file, index) => file === b.files[index]) &&
  isDeepStrictEqual(a.rows, b.rows);

/** Refused for good. */
export const isFinal = (thrown: unknown): boolean => {
  const { retryable, code } = toAppError(thrown);
  return !retryable && code !== 'cancelled';
};

/**
 * Puts parts in the place of what stands: edits, adds and takes away messages. When a part
 * is refused for good, what was added before it is taken away again.
 *
 * @param shown what stands there, where that is known: what stays the same is left alone
 */
export const syncParts = async (
  writer: MessageWriter,
  ids: readonly string[],
  parts: readonly Part[],
  shown: readonly Part[] = [],
): Promise<string[]> => {
  const now: string[] = [];
  try {
    for (const [index, part] of parts.entries()) {
      const id = ids[index];
      if (id === undefined) now.push(await writer.write(part, index));
      else {
        if (!isSame(shown[index], part)) await writer.rewrite(id, part);
        now.push(id);
      }
    }
  } catch (thrown) {
    if (isFinal(thrown)) for (const id of now.slice(ids.length)) await writer.erase(id);
    throw thrown;
  }
  for (const id of ids.slice(parts.length)) await writer.erase(id);
  return now;
};

/** Posts parts where nothing of them stands yet: all of them, unless one fails for now. */
export const postParts = async (writer: MessageWriter, parts: readonly Part[]): Promise<string[]> =>
  syncParts(writer, [], parts);
