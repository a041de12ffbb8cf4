import { SEPARATOR } from '../../../src/rich-text/rich-text.ts';
import { escapeBy, type EscapeRules, type RowPlace } from '../../../src/rich-text/parse/write.ts';

/** Names after which the server looks, whatever stands before their sign; a backslash stops nothing. */
const notifying = /@(?=everyone|here)|<(?=@)/gi;

const rules: EscapeRules = {
  special: /[\\*_`~|[\]<]|:(?=\/\/)/g,
  lineBeginning: /^([ \t]*)(?:(?:#{1,3}|-#|[-*])(?=\s|$)|>(?=\s|>>|$)|(\d{1,9})(?=\.(?:\s|$)))/gm,
  isWords: (sign, before, after, { tame }) =>
    (sign === '\\' && /^[0-9A-Za-z\s]$/.test(after)) ||
    (sign === '_' && tame && /^[0-9A-Za-z]{2}$/.test(before + after)),
};

/** Escapes text so that nothing in it is markup, a mention, custom emoji or an address. */
export const escapeText = (written: string, place: RowPlace): string => {
  const escaped = escapeBy(rules, written, place);
  return escaped.includes('@') ? escaped.replaceAll(notifying, `$&${SEPARATOR}`) : escaped;
};
