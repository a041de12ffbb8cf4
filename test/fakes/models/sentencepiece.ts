import { block, float, integer } from './protobuf.ts';

/** Types of pieces (`sentencepiece_model.proto`). */
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;

const piece = (text: string, score: number, type: number): Buffer =>
  block(1, Buffer.concat([block(1, text), float(2, score), integer(3, type)]));

/** A SentencePiece model whose pieces are whole words: number 0 ends a sentence, 1 is unknown. */
export const encodeSentencePiece = (words: readonly string[]): Buffer =>
  Buffer.concat([
    piece('</s>', 0, CONTROL),
    piece('<unk>', 0, UNKNOWN),
    ...words.map((word) => piece(`▁${word}`, -1, NORMAL)),
    // Unigram model; numbers of the unknown, first, last and padding piece.
    block(
      2,
      Buffer.concat([
        integer(3, 1),
        integer(40, 1),
        integer(41, -1n),
        integer(42, 0),
        integer(43, -1n),
      ]),
    ),
    block(3, Buffer.concat([block(1, 'identity'), integer(3, 1), integer(4, 1), integer(5, 1)])),
  ]);
