/** Pairs of quotation marks (Unicode, Pi and Pf; CLDR). */
const PAIRS = ['""', '“”', '„“', '„”', '«»', '‹›', '「」', '『』', '＂＂', '‘’', "''"] as const;

/** Removes the quotation marks around a whole reply, if its source has none. */
export const withoutQuotationMarks = (source: string, reply: string): string => {
  const written = reply.trim();
  const pair = PAIRS.find(
    ([open = '', close = '']) =>
      written.length > 2 && written.startsWith(open) && written.endsWith(close),
  );
  if (!pair) return reply;
  const [open = '', close = ''] = pair;
  const inner = written.slice(1, -1);
  const isAround = !inner.includes(open) && !inner.includes(close);
  const begins = source.trim();
  const isQuoted = PAIRS.some(([mark = '']) => begins.startsWith(mark));
  return isAround && !isQuoted ? inner.trim() : reply;
};
