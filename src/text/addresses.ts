/** Ends of addresses and names in plain text; each function returns -1 where there is none. */

// An underscore after a name is the marker that closes underlined text.
const mention =
  /@(?:everyone|here)(?![A-Za-z0-9])|@[A-Za-z]\w{0,30}[A-Za-z0-9](?![A-Za-z0-9@]|_+[A-Za-z0-9@]|:\/\/)/y;
const mailDomain = /@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9]|:\/\/)/y;
const mailName = /[A-Za-z0-9._%+-]/;
const MAX_MAIL_NAME = 64;

// East Asian brackets, markers that no address contains and the placeholder of a node end an
// address; letters of any script may be part of it.
const address =
  /(?:(?!\*\*|~~)[^\s<>"`|\u200B\uFFFC\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧])+/y;
const TRAILING = new Set(".,;:!?'*_~]}…’”");

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

const countOf = (text: string, char: string): number => {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count += 1;
  return count;
};

/**
 * Finds the end of the address whose scheme (or `www.`) stands at `at` and is `schemeLength` long.
 * Punctuation at its end belongs to the sentence, as does a bracket that the address did not open.
 */
export const urlEnd = (text: string, at: number, schemeLength: number): number => {
  const stop = endOf(address, text, at);
  const body = text.slice(at, stop);
  let surplus = countOf(body, ')') - countOf(body, '(');
  let length = body.length;
  for (; length > schemeLength; length -= 1) {
    const last = body[length - 1] ?? '';
    if (last === ')' && surplus > 0) surplus -= 1;
    else if (!TRAILING.has(last)) break;
  }
  return length > schemeLength ? at + length : -1;
};

/** The end of the mention that begins at `at`: `@everyone`, `@here`, `@name`. */
export const mentionEnd = (text: string, at: number): number => endOf(mention, text, at);

/** The extent of the e-mail address whose `@` stands at `at`; nothing before `from` belongs to it. */
export const mailExtent = (
  text: string,
  at: number,
  from: number,
): { start: number; end: number } | undefined => {
  const end = endOf(mailDomain, text, at);
  if (end < 0) return undefined;
  const earliest = Math.max(from, at - MAX_MAIL_NAME);
  let start = at;
  while (start > earliest && mailName.test(text[start - 1] ?? '')) start -= 1;
  while (start < at && !/[A-Za-z0-9]/.test(text[start] ?? '')) start += 1;
  return start < at ? { start, end } : undefined;
};
