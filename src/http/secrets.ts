import { hash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that tells nothing of them. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

/** The token in an `Authorization` header; undefined where it bears none. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];

/** Parts of keys that are shorter may be words. */
const SHORTEST_PART_CHARS = 8;
const HIDDEN = '…';

/** The ways in which a key may be written, the longest first. */
const writingsOf = (key: string): readonly string[] => {
  const rest = key.slice(key.indexOf(':') + 1);
  const written = [key, rest].flatMap((part) => {
    // The last characters depend on what follows the key, such as a colon.
    const wholeBytes = Math.floor(part.length / 3) * 3;
    const base64 = Buffer.from(part.slice(0, wholeBytes)).toString('base64');
    const encoded = encodeURIComponent(part);
    return [
      part,
      // As some write it in JSON.
      part.replaceAll('/', '\\/'),
      encoded,
      encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
      base64,
      base64.replaceAll('/', '\\/'),
      base64.replaceAll('+', '-').replaceAll('/', '_'),
    ];
  });
  return [...new Set(written)]
    .filter(({ length }) => length >= SHORTEST_PART_CHARS)
    .toSorted((a, b) => b.length - a.length);
};

/**
 * Creates what replaces a key in words of the server that it was sent to: whole, without its prefix,
 * and as base64 or percent-encoded.
 */
export const createKeyHider = (key: string): ((text: string) => string) => {
  const writings = writingsOf(key);
  return (text) => writings.reduce((hidden, writing) => hidden.replaceAll(writing, HIDDEN), text);
};

/** The parts of a server's words that name machines, accounts or people, or look like a key. */
const PRIVATE = new RegExp(
  [
    /\b[a-z]{2,10}:\/\/\S+/,
    /[\w.+-]+@[\w.-]+/,
    /\b[a-z][\w.-]*:\d{2,5}\b/,
    /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?/,
    /\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|lan|svc)\b/,
    /\b(?:org|acct|account|proj|project|user|cus|req|sk|pk|svck|key)[-_:][\w.-]{4,}/,
    /\b(?=[\w-]*\d)[\w-]{20,}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Hides addresses, accounts and what looks like a key in the words of a server. */
export const hidePrivate = (text: string): string => text.replaceAll(PRIVATE, HIDDEN);

/** `HIDDEN` in UTF-8, each byte as one character. */
const HIDDEN_BYTES = Buffer.from(HIDDEN).toString('latin1');

/** The length of the longest end of a text with which a writing may begin. */
const begunLength = (text: string, writings: readonly string[]): number => {
  const longest = Math.min(text.length, Math.max(0, (writings[0]?.length ?? 0) - 1));
  for (let length = longest; length > 0; length -= 1) {
    const end = text.slice(-length);
    if (writings.some((writing) => writing.startsWith(end))) return length;
  }
  return 0;
};

/** Passes bytes on without the key. Only what a writing of it may begin with waits for what follows. */
export const hideKeyInStream = async function* (
  bytes: AsyncIterable<Uint8Array>,
  key: string,
): AsyncGenerator<Uint8Array, void, void> {
  const writings = writingsOf(key);
  let rest = '';
  for await (const chunk of bytes) {
    rest += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    for (const writing of writings) rest = rest.replaceAll(writing, HIDDEN_BYTES);
    const safe = rest.length - begunLength(rest, writings);
    if (safe > 0) yield Buffer.from(rest.slice(0, safe), 'latin1');
    rest = rest.slice(safe);
  }
  if (rest !== '') yield Buffer.from(rest, 'latin1');
};
