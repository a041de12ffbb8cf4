import { addressLength } from '../text/plain-spans.ts';

/** Schemes that a link may have. */
const scheme = /^(?:https?:\/\/|mailto:|tel:)(?=.)/i;

/** The address that a person typed, also as chats write one: in angle brackets, with a label. Null for other words. */
export const typedAddress = (typed: string): URL | null =>
  URL.parse(typed.trim().replace(/^<([^|>]*)(?:\|[^>]*)?>$/, '$1'));

/** Characters that are never part of an address in markup: East Asian brackets end one too. */
const unsafe =
  /[\s<>"`|\\^{}\p{Cc}\p{Cf}\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧]/gu;

/** Names that servers of chats look for in addresses too, and notify everybody. */
const everybody = /@(?=everyone|here|channel)/gi;

/** Matches most addresses, in which nothing needs escaping. */
const plain = /^https?:\/\/[\w\-./?=&#%+,;:~]+$/;

const LONGEST = 4_096;

/** Greatest depth of brackets in an address that is written as a link's target. */
const DEEPEST_BRACKETS = 32;

/** True when every bracket is closed, every closing one was opened before, and few are open at once. */
const isBalanced = (address: string): boolean => {
  let open = 0;
  for (const [bracket] of address.matchAll(/[()]/g)) {
    open += bracket === '(' ? 1 : -1;
    if (open < 0 || open > DEEPEST_BRACKETS) return false;
  }
  return open === 0;
};

/**
 * Makes an address safe for the markup of every platform: unsafe characters, and those that would
 * notify everybody, are percent-encoded. Undefined for anything but an address of the web, mail or
 * telephone, or one too long.
 */
export const webAddress = (url: string): string | undefined => {
  if (plain.test(url)) return url.length > LONGEST ? undefined : url;
  const trimmed = url.trim();
  if (!scheme.test(trimmed) || trimmed.length > LONGEST) return undefined;
  const encoded = trimmed.toWellFormed().replaceAll(unsafe, encodeURIComponent);
  const silent = encoded.replaceAll(everybody, '%40');
  const safe = isBalanced(silent) ? silent : silent.replaceAll('(', '%28').replaceAll(')', '%29');
  return safe.length > LONGEST ? undefined : safe;
};

// East Asian brackets, markers that no address contains and characters escaped by a backslash end
// an address; letters of any script may be part of it.
const address =
  /https?:\/\/(?:(?!\*\*|~~|\\(?:[\\*_`~|[\]<]|:\/\/))[^\s<>"`|\p{Cc}\p{Cf}\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧]|\u2060)+/iuy;
const TRAILING = new Set(".,;:!?']}…’”\u2060");
const SCHEME = /^https?:\/\//i;
/** Longest address that is read; a link has room for fewer. */
const LONGEST_READ = 5_000;

/** The end of the signs from `at` on that an address may hold, or `at` where none begins. */
export const addressEnd = (text: string, at: number): number => {
  address.lastIndex = at;
  return address.test(text) ? address.lastIndex : at;
};

/**
 * Finds the end of the bare address that begins at `at`, or -1.
 *
 * @param to its greatest end
 * @param stop gives the place within the address as written where it ends early, or -1
 */
export const bareAddressEnd = (
  text: string,
  at: number,
  to = addressEnd(text, at),
  stop: (body: string) => number = () => -1,
): number => {
  const found = text.slice(at, Math.min(to, at + LONGEST_READ));
  const cut = stop(found);
  const body = cut < 0 ? found : found.slice(0, cut);
  const schemeChars = SCHEME.exec(body)?.[0].length ?? body.length;
  const length = addressLength(body, schemeChars, TRAILING);
  return length === 0 ? -1 : at + length;
};

const target = /\(\s{0,9}(?<angle><)?(?=(?:https?:\/\/|mailto:|tel:)[^\s<>])/iy;
const title = /(?:\s{1,9}"[^"\n]{0,300}")?\s{0,9}\)/y;
const edge = /[\s<>()]|$/g;

/**
 * Reads a link's target at the `(` after its label: `(address)`, `(<address>)`, with or without a
 * title.
 */
export const readTarget = (
  text: string,
  at: number,
): { readonly url: string; readonly end: number; readonly angled: boolean } | undefined => {
  target.lastIndex = at;
  const found = target.exec(text);
  if (!found) return undefined;
  const angled = found.groups?.['angle'] !== undefined;
  const start = target.lastIndex;
  let end = start;
  for (let depth = 0; ; end += 1) {
    edge.lastIndex = end;
    const { 0: sign, index } = edge.exec(text) as RegExpExecArray;
    end = index;
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (!/[()]/.test(sign) || (depth < 0 && !angled)) break;
    if (depth > DEEPEST_BRACKETS) return undefined;
  }
  if (angled && text[end] !== '>') return undefined;
  title.lastIndex = angled ? end + 1 : end;
  return title.test(text)
    ? { url: text.slice(start, end), end: title.lastIndex, angled }
    : undefined;
};
