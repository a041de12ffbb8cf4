/**
 * Whisper's tokens are bytes, and many a character is in two or three of them. The library drops each token
 * that is no whole character, which takes half of the Chinese ones: it gets tokens that spell their bytes in
 * private characters, a character a byte.
 */
const FIRST_BYTE = 0xe000;

/**
 * Spells the tokens of a file.
 *
 * @param tokens lines of a token in Base64 and its number
 */
export const spellTokens = (tokens: string): string =>
  tokens.replaceAll(/^\S+/gm, (token) => {
    const bytes = [...Buffer.from(token, 'base64')];
    return Buffer.from(String.fromCodePoint(...bytes.map((byte) => FIRST_BYTE + byte))).toString(
      'base64',
    );
  });

const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    Array.from(text, (char) => {
      const byte = char.charCodeAt(0) - FIRST_BYTE;
      return byte >= 0 && byte < 256 ? Buffer.of(byte) : Buffer.from(char);
    }),
  );

/** The text of spelt tokens, without what is left of a character whose end is missing. */
export const readSpelt = (text: string): string =>
  bytesOf(text).toString('utf8').replaceAll('\uFFFD', '');

/** A spelt token as other kinds tell it: where it is not of whole characters, by its bytes as `<0xE5>`. */
export const readSpeltToken = (token: string): string => {
  const bytes = bytesOf(token);
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD')
    ? bytes.toString('hex').toUpperCase().replaceAll(/../g, '<0x$&>')
    : text;
};
