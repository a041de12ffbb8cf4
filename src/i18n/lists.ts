import { sentence, type RichPart } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';

/**
 * Parts as a list, as the language writes it: `A, B, C`, `A、B、C`.
 *
 * @param style `long` within a sentence: `A, B, and C`
 */
export const listOf = (
  parts: readonly RichPart[],
  locale: string,
  style: 'narrow' | 'long' = 'narrow',
): RichText => {
  const format = new Intl.ListFormat(locale, { style });
  const places = format.formatToParts(parts.map((_, index) => String(index)));
  return sentence(
    ...places.map(({ type, value }) => (type === 'element' ? parts[Number(value)]! : value)),
  );
};
