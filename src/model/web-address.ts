/** Schemes that a link may have. */
const scheme = /^(?:https?:\/\/|mailto:|tel:)(?=.)/i;

/** Never part of an address as it is written into markup: brackets of East Asian text end one too. */
const unsafe =
  /[\s<>"`|\\^{}\p{Cc}\p{Cf}\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧]/gu;

/** Servers of chats look for it in addresses too. */
const everybody = /@(?=everyone|here|channel)/gi;

/** Most addresses, in which nothing is to be looked for. */
const plain = /^https?:\/\/[\w\-./?=&#%+,;:~]+$/;

const LONGEST = 4_096;

/** True when each closing bracket has one that opens it before it, and none is left open. */
const isBalanced = (address: string): boolean => {
  let open = 0;
  for (const [bracket] of address.matchAll(/[()]/g)) {
    open += bracket === '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
};

/**
 * An address fit to stand in the markup of every platform: what is unsafe there, or would notify
 * everybody, is percent-encoded.
 * Undefined for what is no address of the web, mail or telephone, or too long for one.
 */
export const webAddress = (url: string): string | undefined => {
  const trimmed = url.trim();
  if (!scheme.test(trimmed) || trimmed.length > LONGEST) return undefined;
  if (plain.test(trimmed)) return trimmed;
  const encoded = trimmed.toWellFormed().replaceAll(unsafe, encodeURIComponent);
  const silent = encoded.replaceAll(everybody, '%40');
  const safe = isBalanced(silent) ? silent : silent.replaceAll('(', '%28').replaceAll(')', '%29');
  return safe.length > LONGEST ? undefined : safe;
};
