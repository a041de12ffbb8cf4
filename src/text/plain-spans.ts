import { mailExtent, mentionEnd, urlEnd } from './addresses.ts';
import { emojiEnd, shortcodeEnd } from './emoji.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from './protect/read-tokens.ts';

/** A part of plain text that is not language. `start` and `end` are UTF-16 offsets. */
export interface PlainSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'url' | 'email' | 'name' | 'emoji' | 'shortcode' | 'bracket';
}

// A cheap superset of the places where a span can begin; each is then checked exactly.
const candidates =
  /[:@⟦⟧©®\u203C-\u2BFF\u3030\u303D\u3297\u3299\uD83C-\uD83E]|[hH][tT][tT][pP][sS]?:\/\/|[wW]{3}\.|[0-9#]\uFE0F?\u20E3/g;

/** The span that begins at a candidate; an e-mail address begins before its `@`. */
const spanAt = (text: string, at: number, found: string, from: number): PlainSpan | undefined => {
  const span = (kind: PlainSpan['kind'], end: number): PlainSpan | undefined =>
    end < 0 ? undefined : { start: at, end, kind };
  if (found.length > 3) return span('url', urlEnd(text, at, found.length));
  switch (found) {
    case '@': {
      const mail = mailExtent(text, at, from);
      return mail ? { ...mail, kind: 'email' } : span('name', mentionEnd(text, at));
    }
    case ':':
      return span('shortcode', shortcodeEnd(text, at));
    case TOKEN_OPEN:
    case TOKEN_CLOSE:
      return span('bracket', at + 1);
    default:
      return span('emoji', emojiEnd(text, at));
  }
};

/**
 * Finds the parts of plain text that are not language, in order and without overlaps: addresses,
 * `@names`, emoji, shortcodes and the brackets of tokens. Takes linear time.
 */
export const plainSpans = (text: string): PlainSpan[] => {
  const spans: PlainSpan[] = [];
  candidates.lastIndex = 0;
  for (let found = candidates.exec(text); found; found = candidates.exec(text)) {
    const span = spanAt(text, found.index, found[0], spans.at(-1)?.end ?? 0);
    if (span) spans.push(span);
    candidates.lastIndex = span?.end ?? found.index + 1;
  }
  return spans;
};

/** Replaces each part of plain text that is not language by a space. */
export const withoutPlainSpans = (text: string): string => {
  let plain = '';
  let from = 0;
  for (const { start, end } of plainSpans(text)) {
    plain += `${text.slice(from, start)} `;
    from = end;
  }
  return from === 0 ? text : plain + text.slice(from);
};
