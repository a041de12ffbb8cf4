/**
 * Bytes of UTF-8 in a token, about: English has four letters to a token; Cyrillic two letters, of two
 * bytes each; Chinese a little over one character, of three.
 */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of texts, for services that don't count them. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);
