import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSentencePiece } from './sentencepiece.ts';

/** Types of Marian's tensors (`common/types.h`). */
const FLOAT32 = 0x404n;
const INT8 = 0x101n;
/** Marian's tensors begin at multiples of this. */
const ALIGNMENT = 256;

const SIZE = 64;
/** Fast frequencies of the position's sinusoids, of which each has a sine and a cosine. */
const POSITION_FREQUENCIES = 8;
const isPosition = (dimension: number): boolean => dimension % (SIZE / 2) < POSITION_FREQUENCIES;
/** The dimensions that stand for one word each. */
const WORD_DIMENSIONS = Array.from({ length: SIZE }, (_, i) => i).filter((i) => !isPosition(i));

/** Strength of a word against its position, and of the attention to its own position. */
const WORD_STRENGTH = 100;
const ATTENTION_STRENGTH = 6;

interface Item {
  readonly name: string;
  readonly type: bigint;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

type Cell = (row: number, column: number) => number;
const zero: Cell = () => 0;
const diagonal =
  (value: (dimension: number) => number): Cell =>
  (row, column) =>
    row === column ? value(row) : 0;

const matrix = (name: string, rows: number, columns: number, cell: Cell): Item => {
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      values[row * columns + column] = cell(row, column);
  return { name, type: FLOAT32, shape: [rows, columns], data: Buffer.from(values.buffer) };
};

const attention = (name: string, looks: Cell, takes: Cell, gives: Cell): Item[] =>
  [
    ['q', looks],
    ['k', looks],
    ['v', takes],
    ['o', gives],
  ].flatMap(([part, cell]) => [
    matrix(`${name}_W${part as string}`, SIZE, SIZE, cell as Cell),
    matrix(`${name}_b${part as string}`, 1, SIZE, zero),
  ]);

const feedForward = (name: string): Item[] =>
  [1, 2].flatMap((layer) => [
    matrix(`${name}_W${layer}`, SIZE, SIZE, zero),
    matrix(`${name}_b${layer}`, 1, SIZE, zero),
  ]);

/** The options of a transformer with one layer each, without normalisation. */
const options = (pieces: number): string =>
  Object.entries({
    type: 'transformer',
    version: 'v1.12.14 2d067af 2024-02-16 11:44:13 -0500',
    'dim-emb': SIZE,
    'dim-rnn': SIZE,
    'dim-vocabs': `[${pieces}, ${pieces}]`,
    'enc-depth': 1,
    'dec-depth': 1,
    'enc-cell': 'gru',
    'enc-cell-depth': 1,
    'enc-type': 'bidirectional',
    'dec-cell': 'gru',
    'dec-cell-base-depth': 2,
    'dec-cell-high-depth': 1,
    'bert-train-type-embeddings': true,
    'bert-type-vocab-size': 2,
    'factors-combine': 'sum',
    'factors-dim-emb': 0,
    'input-types': '[]',
    'layer-normalization': false,
    'lemma-dim-emb': 0,
    'right-left': false,
    skip: false,
    'tied-embeddings': false,
    'tied-embeddings-all': false,
    'tied-embeddings-src': false,
    'transformer-aan-activation': 'swish',
    'transformer-aan-depth': 2,
    'transformer-aan-nogate': false,
    'transformer-decoder-autoreg': 'self-attention',
    'transformer-decoder-dim-ffn': 0,
    'transformer-decoder-ffn-depth': 0,
    'transformer-dim-aan': SIZE,
    'transformer-dim-ffn': SIZE,
    'transformer-ffn-activation': 'relu',
    'transformer-ffn-depth': 2,
    'transformer-guided-alignment-layer': 'last',
    'transformer-heads': 1,
    'transformer-no-projection': false,
    'transformer-pool': false,
    'transformer-postprocess': 'a',
    'transformer-postprocess-emb': 'd',
    'transformer-postprocess-top': '""',
    'transformer-preprocess': '""',
    'transformer-tied-layers': '[]',
    'transformer-train-positions': false,
    ulr: false,
    'ulr-dim-emb': 0,
    'ulr-trainable-transformation': false,
  })
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');

const numbers = (...values: readonly (number | bigint)[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, i) => bytes.writeBigUInt64LE(BigInt(value), 8 * i));
  return bytes;
};

/** Marian's binary format (`common/binary.cpp`): headers, names, shapes, then the tensors. */
const encodeMarian = (items: readonly Item[]): Buffer => {
  const contents = items.map(({ data }) =>
    Buffer.concat([data, Buffer.alloc((ALIGNMENT - (data.length % ALIGNMENT)) % ALIGNMENT)]),
  );
  const head = Buffer.concat([
    numbers(1, items.length),
    ...items.map(({ name, type, shape }, i) =>
      numbers(name.length + 1, type, shape.length, contents[i]!.length),
    ),
    ...items.map(({ name }) => Buffer.from(`${name}\0`)),
    ...items.map(({ shape }) => Buffer.from(Int32Array.from(shape).buffer)),
  ]);
  const gap = ALIGNMENT - ((head.length + 8) % ALIGNMENT);
  return Buffer.concat([head, numbers(gap), Buffer.alloc(gap), ...contents]);
};

/**
 * Writes a model that translates word by word: each word of the translation looks at the word in the
 * same place of the source. Words that are not in `words` become the first of them.
 */
export const writeTinyTranslation = (
  folder: string,
  from: string,
  to: string,
  words: Readonly<Record<string, string>>,
): void => {
  const sources = Object.keys(words);
  const targets = Object.values(words);
  const pieces = sources.length + 2;
  const own = (dimension: number): number => (isPosition(dimension) ? 0 : 1);
  const model = encodeMarian([
    matrix('encoder_Wemb', pieces, SIZE, (row, column) =>
      column === WORD_DIMENSIONS[row] ? WORD_STRENGTH : 0,
    ),
    matrix('decoder_Wemb', pieces, SIZE, zero),
    ...attention('encoder_l1_self', zero, zero, zero),
    ...attention('decoder_l1_self', zero, zero, zero),
    ...attention(
      'decoder_l1_context',
      diagonal((dimension) => (isPosition(dimension) ? ATTENTION_STRENGTH : 0)),
      diagonal(own),
      diagonal(() => 1),
    ),
    ...feedForward('encoder_l1_ffn'),
    ...feedForward('decoder_l1_ffn'),
    matrix('decoder_ff_logit_out_W', SIZE, pieces, (row, column) =>
      row === WORD_DIMENSIONS[column === 1 ? 2 : column] && column !== 1 ? 1 : 0,
    ),
    matrix('decoder_ff_logit_out_b', 1, pieces, (_, column) => (column === 1 ? -1000 : 0)),
    {
      name: 'special:model.yml',
      type: INT8,
      shape: [Buffer.byteLength(options(pieces)) + 1],
      data: Buffer.from(`${options(pieces)}\0`),
    },
  ]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `model.${from}${to}.bin`), model);
  writeFileSync(join(folder, `srcvocab.${from}${to}.spm`), encodeSentencePiece(sources));
  writeFileSync(join(folder, `trgvocab.${from}${to}.spm`), encodeSentencePiece(targets));
};
