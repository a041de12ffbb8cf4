/** Parts of keys that are shorter may be words. */
const SHORTEST_PART_CHARS = 8;
const HIDDEN = '…';

/** The ways in which a key may be written, the longest first. */
const writingsOf = (key: string): readonly string[] => {
  const rest = key.slice(key.indexOf(':') + 1);
  const written = [key, rest].flatMap((part) => {
    const base64 = Buffer.from(part).toString('base64').replace(/=+$/, '');
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
