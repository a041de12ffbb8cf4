import type { RichText } from '../../model/rich-text.ts';
import { plainSpans, type PlainSpan } from '../plain-spans.ts';
import type { Piece, PieceOf, Wrapper } from './piece.ts';
import { toPieces } from './to-pieces.ts';

/** Placeholder in a flat text for everything but text. */
export const OBJECT = '\uFFFC';

/** A place in a flat text where an `OBJECT` stands for a piece. */
export interface ObjectSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'object';
  readonly piece: Exclude<Piece, PieceOf<'text'>>;
}

export type FlatSpan = PlainSpan | ObjectSpan;

/** A tree as one text, line by line, with the spans in it that are not language. */
export interface FlatText {
  readonly text: string;
  /** Spans in order, without overlaps. */
  readonly spans: readonly FlatSpan[];
  readonly pairs: readonly Wrapper[];
}

const inOrder = (objects: readonly ObjectSpan[], plain: readonly PlainSpan[]): FlatSpan[] => {
  const spans: FlatSpan[] = [];
  let next = 0;
  for (const object of objects) {
    for (let span = plain[next]; span && span.start < object.start; span = plain[next]) {
      spans.push(span);
      next += 1;
    }
    spans.push(object);
  }
  for (; next < plain.length; next += 1) spans.push(plain[next] as PlainSpan);
  return spans;
};

/** True at the end of a line; a space follows a line's mark only where the line holds something. */
const isEmptyLine = (next: Piece | undefined): boolean =>
  next === undefined || (next.kind === 'text' && next.text.startsWith('\n'));

/** The flat text of a tree in canonical form; linear in the tree's size. */
export const toFlatText = (tree: RichText): FlatText => {
  const { pieces, pairs } = toPieces(tree);
  const objects: ObjectSpan[] = [];
  let text = '';
  for (const [index, piece] of pieces.entries())
    if (piece.kind === 'text') text += piece.text;
    else {
      const start = text.length;
      objects.push({ start, end: start + 1, kind: 'object', piece });
      text += piece.kind === 'line' && !isEmptyLine(pieces[index + 1]) ? `${OBJECT} ` : OBJECT;
    }
  const plain = plainSpans(text);
  return { text, spans: plain.length === 0 ? objects : inOrder(objects, plain), pairs };
};
