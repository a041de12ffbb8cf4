import { SEPARATOR } from '../../../src/model/separator.ts';
import type { RowPlace } from '../../../src/text/markup/write-rows.ts';

const special = /[\\*_`~|[\]<]|@(?=everyone|here)|:(?=\/\/)/gi;
const lineBeginning =
  /^([ \t]*)(?:(?:#{1,3}|-#|[-*])(?=\s|$)|>(?=\s|>>|$)|(\d{1,9})(?=\.(?:\s|$)))/gm;
const spaceOrWord = /[0-9A-Za-z\s]/;
const alphanumeric = /[0-9A-Za-z]/;

const escapeSign = (
  sign: string,
  at: number,
  whole: string,
  { tame, inLabel }: RowPlace,
): string => {
  const before = whole[at - 1];
  const after = whole[at + 1];
  switch (sign) {
    case '\\':
      return after !== undefined && spaceOrWord.test(after) ? sign : String.raw`\\`;
    case '*': {
      const alone = before !== undefined && after !== undefined && /\s/.test(before + after);
      return alone && /^\s\s$/.test(before + after) && before !== '\n' ? sign : String.raw`\*`;
    }
    case '_': {
      const inWord = alphanumeric.test(before ?? '') && alphanumeric.test(after ?? '');
      return inWord && tame ? sign : String.raw`\_`;
    }
    case '~':
    case '|':
      return before === undefined || after === undefined || before === sign || after === sign
        ? `\\${sign}`
        : sign;
    case '<':
      // A backslash does not stop the server from notifying.
      if (after === '@') return `\\<${SEPARATOR}`;
      return after !== undefined && /[\s\d=,.-]/.test(after) ? sign : String.raw`\<`;
    case ']':
      return inLabel ? String.raw`\]` : sign;
    case '@':
      return `@${SEPARATOR}`;
    default:
      return `\\${sign}`;
  }
};

const markLine = (found: string, indent: string, number: string | undefined): string =>
  number === undefined ? `${indent}\\${found.slice(indent.length)}` : `${found}\\`;

/** Escapes text so that nothing in it is markup, a mention, custom emoji or an address. */
export const escapeText = (written: string, place: RowPlace): string => {
  const escaped = written.replaceAll(special, (sign, at: number) =>
    escapeSign(sign, at, written, place),
  );
  if (place.lineStart) return escaped.replaceAll(lineBeginning, markLine);
  const next = escaped.indexOf('\n') + 1;
  return next === 0
    ? escaped
    : escaped.slice(0, next) + escaped.slice(next).replaceAll(lineBeginning, markLine);
};
