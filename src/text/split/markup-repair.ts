import { FENCE } from './markup-layout.ts';
import { holdsAddress, type Span } from '../markup/span.ts';
import { findSpans } from '../markup/spans.ts';

/** Links too long for a piece fall apart into their label and their address. */
export const withoutLongLinks = (text: string, longest: number): string => {
  const spans = findSpans(text).filter(({ kind }) => kind === 'link');
  const openers = new Map<number, Span>();
  const loose = new Set<Span>();
  for (const span of spans) {
    if (span.side === 'open') openers.set(span.pair ?? -1, span);
    const opener = openers.get(span.pair ?? -1);
    if (span.side === 'open' || !opener || span.end - opener.start <= longest) continue;
    loose.add(opener).add(span);
  }
  let result = '';
  let from = 0;
  for (const span of spans) {
    if (!loose.has(span)) continue;
    result += text.slice(from, span.start);
    const address = text.slice(span.start + (span.side === 'open' ? 1 : 2), span.end - 1);
    if (holdsAddress(span)) result += span.side === 'open' ? `${address} ` : ` ${address}`;
    from = span.end;
  }
  return result + text.slice(from);
};

/** A fence that is never closed is code to the end; each piece of it must close. */
export const withClosedFence = (text: string): string => {
  const last = findSpans(text).at(-1);
  const isOpen =
    last?.kind === 'code-block' &&
    last.end === text.length &&
    (last.end - last.start < 2 * FENCE.length || !text.endsWith(FENCE));
  if (!isOpen || !/[^`\s]/.test(text.slice(last.start))) return text;
  // On one line, a line break would make a language of what is code.
  const oneLine = !text.includes('\n', last.start);
  return text + (oneLine || text.endsWith('\n') ? FENCE : `\n${FENCE}`);
};
