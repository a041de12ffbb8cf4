import { setImmediate } from 'node:timers/promises';
import type { LanguagePair } from './plain-writing.ts';
import { translateInPieces } from './pieces.ts';

/**
 * Translates a text as `translateInPieces` does, but all of its pieces at the same time: for a server that
 * takes many in one request.
 */
export const translateTogether = async (
  request: LanguagePair & { readonly text: string },
  longest: number,
  translate: (core: string) => Promise<string>,
): Promise<string> => {
  const asked: Promise<string>[] = [];
  const begin = async (core: string): Promise<string> => {
    asked.push(translate(core));
    return core;
  };
  await Array.fromAsync(translateInPieces(request, longest, begin));
  const made = await Promise.all(asked);
  const next = async (): Promise<string> => made.shift() ?? '';
  return (await Array.fromAsync(translateInPieces(request, longest, next))).join('');
};

/** Most bytes of the texts of a call. */
const MOST_BYTES = 64 * 1024;

/**
 * Collects texts that are to be translated at the same time, and has `send` translate at most `most` of
 * them in one call; all of them fail with it.
 */
export const createBatch = (
  most: number,
  send: (texts: readonly string[]) => Promise<readonly string[]>,
): ((text: string) => Promise<string>) => {
  let open: { texts: string[]; reply: Promise<readonly string[]>; bytes: number } | undefined;
  return async (text) => {
    const bytes = Buffer.byteLength(text);
    if (!open || open.texts.length >= most || open.bytes + bytes > MOST_BYTES) {
      const own: string[] = [];
      const reply = setImmediate().then(() => {
        if (open?.texts === own) open = undefined;
        return send(own);
      });
      open = { texts: own, reply, bytes: 0 };
    }
    const { texts, reply } = open;
    open.bytes += bytes;
    const index = texts.push(text) - 1;
    return (await reply)[index] ?? '';
  };
};
