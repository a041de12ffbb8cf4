import { CodeSpans } from './code-spans.ts';
import { emojiEnd, shortcodeEnd } from '../emoji.ts';
import { isEscaped } from '../letters.ts';
import { Markers } from './markers.ts';
import { mailExtent, mentionEnd, urlEnd } from '../addresses.ts';
import { lineMarkerEnd, linkTargetEnd, matchAngle } from './patterns.ts';
import { holdsAddress, TOKEN_CLOSE, TOKEN_OPEN, type Span, type SpanKind } from './span.ts';

// A superset of the places where a span can begin, cheap to find; each is looked at closely then.
const candidates =
  /[<>:@`*_~|[\]\n©®\u203C-\u2BFF\u3030\u303D\u3297\u3299\uD83C-\uD83E]|[hH][tT][tT][pP][sS]?:\/\/|[wW]{3}\.|[0-9#]\uFE0F?\u20E3/g;

class Scan {
  readonly spans: Span[] = [];
  readonly #text: string;
  // Made when they are needed: most lines of chat have neither code nor markup.
  #code: CodeSpans | undefined;
  #markers: Markers | undefined;
  /** Up to here everything is decided. */
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    const text = this.#text;
    this.#from = this.#add(0, lineMarkerEnd(text, 0), 'line-marker', 0);
    for (;;) {
      candidates.lastIndex = this.#from;
      const found = candidates.exec(text);
      if (!found) return;
      this.#from = this.#look(found.index, found[0]);
    }
  }

  /** Adds a span that was found (`end` is not -1); answers where to go on. */
  #add(start: number, end: number, kind: SpanKind, otherwise = start + 1): number {
    if (end < 0) return otherwise;
    this.spans.push({ start, end, kind });
    return end;
  }

  #look(at: number, found: string): number {
    const text = this.#text;
    if (found.length > 3) return this.#add(at, urlEnd(text, at, found.length), 'url');
    switch (found) {
      case '<':
        return this.#angle(at);
      case '>':
        return this.#markers?.closeAngle(at) ?? at + 1;
      case '@':
        return this.#at(at);
      case ':':
        return this.#add(at, shortcodeEnd(text, at), 'shortcode');
      case '`':
        return this.#backticks(at);
      case '*':
      case '_':
      case '~':
      case '|':
        return this.#marking().emphasis(at);
      case '[':
        return this.#marking().openLabel(at);
      case ']':
        return this.#markers?.closeLabel(at, linkTargetEnd(text, at)) ?? at + 1;
      case '\n':
        if (text[at + 1] === '\n') this.#markers?.endParagraph();
        return this.#add(at + 1, lineMarkerEnd(text, at + 1), 'line-marker', at + 1);
      case TOKEN_OPEN:
      case TOKEN_CLOSE:
        return this.#add(at, at + 1, 'bracket');
      default:
        return this.#add(at, emojiEnd(text, at), 'emoji');
    }
  }

  #marking(): Markers {
    this.#markers ??= new Markers(this.#text, this.spans);
    return this.#markers;
  }

  #angle(at: number): number {
    const found = matchAngle(this.#text, at);
    if (!found) return at + 1;
    if (found.kind !== 'labelled-url') return this.#add(at, found.end, found.kind);
    return this.#marking().openAngle(at, found.end, this.#text.indexOf('>', found.end));
  }

  #at(at: number): number {
    const mail = mailExtent(this.#text, at, this.#from);
    return mail
      ? this.#add(mail.start, mail.end, 'email')
      : this.#add(at, mentionEnd(this.#text, at), 'mention');
  }

  #backticks(at: number): number {
    if (isEscaped(this.#text, at)) return at + 1;
    this.#code ??= new CodeSpans(this.#text);
    const length = this.#code.runLength(at);
    const kind = length > 2 ? 'code-block' : 'code';
    return this.#add(at, this.#code.end(at, length), kind, at + length);
  }
}

/** A marker without its partner is text, unless an address stands in it. */
const counts = (span: Span): boolean =>
  span.side === undefined || span.pair !== undefined || holdsAddress(span);

/**
 * Everything in a text that is not language, in order and without overlaps: addresses, mentions,
 * emoji, code, timestamps and markup of Discord, Slack and Markdown. Takes linear time for any text.
 */
export const findSpans = (text: string): readonly Span[] => {
  const scan = new Scan(text);
  scan.run();
  return scan.spans.every(counts) ? scan.spans : scan.spans.filter(counts);
};

/** The text without what is not language; each such part leaves a space. */
export const withoutSpans = (text: string): string => {
  let plain = '';
  let from = 0;
  for (const span of findSpans(text)) {
    plain += `${text.slice(from, span.start)} `;
    from = span.end;
  }
  return from === 0 ? text : plain + text.slice(from);
};
