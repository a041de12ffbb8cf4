/** Messages as lines of styled words, as far as the messages of the picture need it. */

export interface Span {
  readonly text: string;
  readonly look: 'plain' | 'bold' | 'partial' | 'code' | 'link';
}

export type Icon = 'es' | 'gb' | 'bubble' | 'globe' | 'reply' | 'translation';

/** One line of a message as it is drawn. */
export interface Line {
  readonly icons: readonly Icon[];
  /** From the left, for its words. */
  readonly indent: number;
  readonly spans: readonly Span[];
  readonly isSmall: boolean;
  /** An empty line between paragraphs. */
  readonly isGap: boolean;
}

const ICONS: Readonly<Record<string, Icon>> = {
  '💬': 'bubble',
  '🌐': 'globe',
  '↪': 'reply',
  '↳': 'translation',
  '🇪🇸': 'es',
  '🇬🇧': 'gb',
};

export const ICON_WIDTH = 34;

const NARROW = /[ilj.,:;'’!|\s·]/;
const WIDE = /[mwMW@…]/;
/** Share of the size that a character takes at most in the usual fonts. */
const widthOfCharacter = (character: string): number => {
  if (NARROW.test(character)) return 0.3;
  if (WIDE.test(character)) return 0.88;
  return /\p{Lu}/u.test(character) ? 0.68 : 0.55;
};

export const widthOf = (text: string, look: Span['look'], size: number): number => {
  if (look === 'code') return text.length * 0.62 * size;
  const width = Array.from(text, widthOfCharacter).reduce((sum, one) => sum + one, 0);
  return width * size * (look === 'bold' ? 1.07 : 1);
};

const MARKUP =
  /\*\*(?<bold>.+?)\*\*|\*(?<partial>.+?)\*|`(?<code>[^`]+)`|\[(?<label>[^\]]+)\]\(<[^>]+>\)|(?<url>https:\/\/\S+)/g;

const spansOf = (text: string): Span[] => {
  const spans: Span[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKUP)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), look: 'plain' });
    from = match.index + match[0].length;
    const { bold, partial, code, label, url } = match.groups ?? {};
    if (bold !== undefined) spans.push({ text: bold, look: 'bold' });
    if (partial !== undefined) spans.push({ text: partial, look: 'partial' });
    if (code !== undefined) spans.push({ text: code, look: 'code' });
    if (label !== undefined) spans.push(...spansOf(label));
    if (url !== undefined) spans.push({ text: url.replace('https://', ''), look: 'link' });
  }
  if (from < text.length) spans.push({ text: text.slice(from), look: 'plain' });
  return spans;
};

/** The icons at the beginning of a line, and the text behind them. */
const takeIcons = (text: string): { icons: Icon[]; rest: string } => {
  const icons: Icon[] = [];
  let rest = text;
  for (;;) {
    const bracket = rest.startsWith('[') ? '[' : '';
    const found = Object.keys(ICONS).find((icon) => rest.startsWith(bracket + icon));
    if (found === undefined) return { icons, rest };
    icons.push(ICONS[found]!);
    rest = bracket + rest.slice(bracket.length + found.length).trimStart();
  }
};

const wrap = (spans: readonly Span[], size: number, width: number): Span[][] => {
  const lines: Span[][] = [[]];
  let used = 0;
  for (const { text, look } of spans)
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      const wide = widthOf(word, look, size);
      const isFirst = lines.at(-1)!.length === 0;
      if (used + widthOf(word.trimEnd(), look, size) > width && !isFirst) {
        lines.push([]);
        used = 0;
      }
      const line = lines.at(-1)!;
      const shown = line.length === 0 ? word.trimStart() : word;
      line.push({ text: shown, look });
      used += wide;
    }
  return lines;
};

/** Cuts a message into lines that fit. */
export const linesOf = (text: string, size: number, smallSize: number, width: number): Line[] =>
  text.split('\n').flatMap((raw): Line[] => {
    if (raw === '') return [{ icons: [], indent: 0, spans: [], isSmall: false, isGap: true }];
    const isSmall = raw.startsWith('-# ');
    const { icons, rest } = takeIcons(isSmall ? raw.slice(3) : raw);
    const indent = icons.length * ICON_WIDTH;
    const wrapped = wrap(spansOf(rest), isSmall ? smallSize : size, width - indent);
    const [first = []] = wrapped;
    const cut: Span[] = wrapped.length > 1 ? [...first, { text: ' …', look: 'plain' }] : first;
    const shown = isSmall ? [cut] : wrapped;
    return shown.map((spans, index) => ({
      icons: index === 0 ? icons : [],
      indent,
      spans,
      isSmall,
      isGap: false,
    }));
  });
