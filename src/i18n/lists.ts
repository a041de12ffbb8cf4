import { sentence, type RichPart } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';

/** Parts as a list, as the language writes it: `A, B, C`, `A、B、C`. */
export const listOf = (parts: readonly RichPart[], locale: string): RichText => {
  const format = new Intl.ListFormat(locale, { style: 'narrow' });
  const places = format.formatToParts(parts.map((_, index) => String(index)));
  return sentence(
    ...places.map(({ type, value }) => (type === 'element' ? parts[Number(value)]! : value)),
  );
};
