/** A number as people write it, with marks between its digits. */
export const NUMBER = String.raw`\d{1,30}(?:[.,'’]\d{1,30}|[ \u00A0\u202F]\d{3}(?!\d)){0,6}`;
/** No letter or mark before a number, and none after it, by which it would be something else. */
export const NOT_AFTER = String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d.,:/_$€£-])`;
export const NOT_BEFORE = String.raw`(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d/²³_]|[.,–-]\d)`;

/** A number read by the marks of a language. */
export interface Amount {
  readonly value: number;
  readonly fractionDigits: number;
}

const decimal = (whole: string, fraction: string): Amount => ({
  value: Number(`${whole.replaceAll(/\D/g, '')}.${fraction}`),
  fractionDigits: fraction.length,
});

const grouped = /^\d{1,3}(?:[ \u00A0\u202F'’]\d{3})+(?=[.,]|$)/;

/**
 * The number that is written; undefined where its marks can be read in two ways.
 *
 * @param most most digits after the decimal mark
 */
export const amountOf = (written: string, marks: Marks, most = 20): Amount | undefined => {
  const [groups] = grouped.exec(written) ?? [];
  const plain =
    groups === undefined ? written : groups.replaceAll(/\D/g, '') + written.slice(groups.length);
  if (!/^[\d.,]+$/.test(plain)) return undefined;
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last < 0) return { value: Number(plain), fractionDigits: 0 };
  const [whole, fraction, mark] = [plain.slice(0, last), plain.slice(last + 1), plain[last]];
  const isMixed = whole.includes(mark === '.' ? ',' : '.');
  if (isMixed) return whole.includes(mark ?? '') ? undefined : decimal(whole, fraction);
  const isRepeated = whole.includes(mark ?? '');
  if (isRepeated) return fraction.length === 3 ? decimal(plain, '') : undefined;
  if (fraction.length !== 3 || whole === '0' || whole.length > 3) return decimal(whole, fraction);
  if (mark === marks.group) return decimal(plain, '');
  return mark === marks.decimal && most > 2 ? decimal(whole, fraction) : undefined;
};

/** The marks between the digits of numbers in a language. */
export interface Marks {
  readonly decimal: string;
  readonly group: string;
}

export const marksOf = (locale: string): Marks => {
  const parts = new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    minimumFractionDigits: 1,
  }).formatToParts(123_456.5);
  const valueOf = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: valueOf('decimal'), group: valueOf('group') };
};
