// East Asian brackets, markers that no address contains and characters escaped by a backslash end
// an address; letters of any script may be part of it.
const address =
  /https?:\/\/(?:(?!\*\*|~~|\\(?:[\\*_`~|[\]<]|:\/\/))[^\s<>"`|\p{Cc}\p{Cf}\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧]|\u2060)+/iuy;
const TRAILING = new Set(".,;:!?']}…’”\u2060");
const SCHEME = /^https?:\/\//i;

/**
 * Finds the end of the bare address that begins at `at`, or -1. Punctuation at its end belongs to
 * the sentence, as does a bracket that the address did not open.
 *
 * @param stop gives the place within the address as written where a marker open around it closes
 */
export const bareAddressEnd = (
  text: string,
  at: number,
  stop: (body: string) => number = () => -1,
): number => {
  address.lastIndex = at;
  const found = address.exec(text)?.[0];
  if (found === undefined) return -1;
  const cut = stop(found);
  const body = cut < 0 ? found : found.slice(0, cut);
  const schemeChars = SCHEME.exec(body)?.[0].length ?? body.length;
  let surplus = 0;
  for (const char of body)
    if (char === ')') surplus += 1;
    else if (char === '(') surplus -= 1;
  let length = body.length;
  for (; length > schemeChars; length -= 1) {
    const last = body[length - 1] ?? '';
    if (last === ')' && surplus > 0) surplus -= 1;
    else if (!TRAILING.has(last)) break;
  }
  return length > schemeChars ? at + length : -1;
};

const target =
  /\(\s{0,9}(?:<(?<angled>(?:https?:\/\/|mailto:|tel:)[^<>\s]{1,4096})>|(?<plain>(?:https?:\/\/|mailto:|tel:)[^\s<>]{1,4096}))/iy;
const title = /(?:\s{1,9}"[^"\n]{0,300}")?\s{0,9}\)/y;

/**
 * Reads a link's target at the `(` after its label: `(address)`, `(<address>)`, with or without a
 * title.
 */
export const readTarget = (
  text: string,
  at: number,
): { readonly url: string; readonly end: number; readonly angled: boolean } | undefined => {
  target.lastIndex = at;
  const groups = target.exec(text)?.groups;
  if (!groups) return undefined;
  let end = target.lastIndex;
  let url = groups['angled'] ?? groups['plain'] ?? '';
  const angled = groups['angled'] !== undefined;
  if (!angled) {
    const start = end - url.length;
    let depth = 0;
    let length = 0;
    for (; length < url.length; length += 1) {
      if (url[length] === '(') depth += 1;
      else if (url[length] === ')') {
        if (depth === 0) break;
        depth -= 1;
      }
    }
    url = url.slice(0, length);
    end = start + length;
  }
  title.lastIndex = end;
  return title.test(text) ? { url, end: title.lastIndex, angled } : undefined;
};
