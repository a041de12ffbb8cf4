const MARK = /^`+/;
/** A fence with the language of its code. */
const OPENING = /^\s*(?:`{3,}(?:[\w+-]*[^\S\n]*\n)?|`{1,2})(?!`)/;
const FENCE_CHARS = 3;
const language = /^[\w+-]*$/;

const countBackticks = (text: string): number => text.split('`').length - 1;

/** The lines within a fence whose two marks stand on lines of their own. */
const linesWithin = (inner: string): string => {
  const first = inner.indexOf('\n');
  const last = inner.lastIndexOf('\n');
  const isFence =
    first >= 0 && language.test(inner.slice(0, first).trim()) && inner.slice(last).trim() === '';
  return isFence ? inner.slice(first + 1, Math.max(first + 1, last)) : inner;
};

/**
 * Removes the backticks or the fence around a whole reply, which models add: those without which
 * the reply has as many as its source.
 */
export const unwrapped = (source: string, translated: string): string => {
  const reply = translated.trim();
  const mark = MARK.exec(reply)?.[0].length ?? 0;
  if (mark === 0 || reply.length <= 2 * mark || !reply.endsWith(reply.slice(0, mark)))
    return translated;
  const inner = reply.slice(mark, -mark);
  if (countBackticks(inner) !== countBackticks(source)) return translated;
  return mark >= FENCE_CHARS ? linesWithin(inner) : inner;
};

/** Removes them from the beginning of a reply that is still growing. */
export const unwrappedBeginning = (source: string, partial: string): string =>
  source.trimStart().startsWith('`') ? partial : partial.replace(OPENING, '');
