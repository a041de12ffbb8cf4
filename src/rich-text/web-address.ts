/** Schemes that a link may have. */
const scheme = /^(?:https?:\/\/|mailto:|tel:)(?=.)/i;

/** Characters that are never part of an address in markup: East Asian brackets end one too. */
const unsafe =
  /[\s<>"`|\\^{}\p{Cc}\p{Cf}\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧]/gu;

/** Names that servers of chats look for in addresses too, and notify everybody. */
const everybody = /@(?=everyone|here|channel)/gi;

/** Matches most addresses, in which nothing needs escaping. */
const plain = /^https?:\/\/[\w\-./?=&#%+,;:~]+$/;

const LONGEST = 4_096;

/** Greatest depth of brackets in an address that is written as a link's target. */
export const DEEPEST_BRACKETS = 32;

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
