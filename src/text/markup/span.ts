export type SpanKind =
  | 'url'
  | 'email'
  | 'mention'
  | 'timestamp'
  | 'emoji'
  | 'custom-emoji'
  | 'shortcode'
  | 'code'
  | 'code-block'
  | 'bracket'
  | 'emphasis'
  | 'spoiler'
  | 'link'
  | 'line-marker'
  | 'term';

/** A part of a text that is not language. `start` and `end` are UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: SpanKind;
  /** On markers that come in twos; they cling to the text between them. */
  readonly side?: 'open' | 'close';
  /** The same number on both markers of a pair. */
  readonly pair?: number;
  /** What is put back in place of the text as written. */
  readonly replacement?: string;
}

export { TOKEN_CLOSE, TOKEN_OPEN } from '../protect/brackets.ts';

const LONGEST_BARE_MARKER = 3;

/** `<https://a.b|` and `](https://a.b)`, unlike `[`. */
export const holdsAddress = ({ kind, start, end }: Span): boolean =>
  kind === 'link' && end - start > LONGEST_BARE_MARKER;
