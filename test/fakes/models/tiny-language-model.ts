import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../random.ts';

type Value = string | number | boolean | readonly string[] | readonly number[];

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer =>
  Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const f32 = (values: readonly number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);

/** A value with its type (`gguf_type`); fractions are floats, other numbers whole. */
const typed = (value: Value): readonly [type: number, bytes: Buffer] => {
  if (typeof value === 'string') return [8, text(value)];
  if (typeof value === 'boolean') return [7, Buffer.of(Number(value))];
  if (typeof value === 'number')
    return Number.isInteger(value) ? [4, u32(value)] : [6, f32([value])];
  const items = value.map((item: string | number) => typed(item));
  // The numbers of lists are signed.
  const [first = 8] = items[0] ?? [];
  const head = [u32(first === 4 ? 5 : first), u64(items.length)];
  return [9, Buffer.concat([...head, ...items.map(([, bytes]) => bytes)])];
};

/** Letters for bytes, as byte-level vocabularies write them. */
const byteLetters = (): readonly string[] => {
  const plain = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(plain(byte) ? byte : (next += 1) - 1),
  );
};

const TEMPLATE =
  "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const SPECIAL = ['<|im_start|>', '<|im_end|>'];

const WIDTH = 32;
const INNER = 64;
const LAYERS = 2;
const HEADS = 2;
const ALIGNMENT = 32;

/**
 * Writes a language model into a folder: two layers of the architecture `llama` with random weights, a
 * vocabulary of the 256 bytes, and a template. It answers, and nothing of it means anything.
 *
 * @param metadata values to add or, where undefined, to leave out
 */
export const writeTinyLanguageModel = (
  folder: string,
  metadata: Readonly<Record<string, Value | undefined>> = {},
  file = 'tiny.gguf',
): string => {
  const tokens = [...byteLetters(), ...SPECIAL];
  const values: Record<string, Value | undefined> = {
    'general.architecture': 'llama',
    'general.name': 'Tiny',
    'llama.context_length': 512,
    'llama.embedding_length': WIDTH,
    'llama.block_count': LAYERS,
    'llama.feed_forward_length': INNER,
    'llama.attention.head_count': HEADS,
    'llama.attention.head_count_kv': HEADS,
    'llama.attention.layer_norm_rms_epsilon': 1e-5,
    'llama.rope.dimension_count': WIDTH / HEADS,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map((token) => (SPECIAL.includes(token) ? 3 : 1)),
    'tokenizer.ggml.merges': ['h i'],
    'tokenizer.ggml.bos_token_id': 256,
    'tokenizer.ggml.eos_token_id': 257,
    'tokenizer.ggml.add_bos_token': false,
    'tokenizer.chat_template': TEMPLATE,
    ...metadata,
  };
  const layers = Array.from({ length: LAYERS }, (_, layer): [string, number[]][] =>
    (
      [
        ['attn_norm', [WIDTH]],
        ['attn_q', [WIDTH, WIDTH]],
        ['attn_k', [WIDTH, WIDTH]],
        ['attn_v', [WIDTH, WIDTH]],
        ['attn_output', [WIDTH, WIDTH]],
        ['ffn_norm', [WIDTH]],
        ['ffn_gate', [WIDTH, INNER]],
        ['ffn_up', [WIDTH, INNER]],
        ['ffn_down', [INNER, WIDTH]],
      ] as [string, number[]][]
    ).map(([name, shape]) => [`blk.${layer}.${name}.weight`, shape]),
  ).flat();
  const tensors: [string, number[]][] = [
    ['token_embd.weight', [WIDTH, tokens.length]],
    ...layers,
    ['output_norm.weight', [WIDTH]],
    ['output.weight', [WIDTH, tokens.length]],
  ];
  const known = Object.entries(values).filter((entry) => entry[1] !== undefined);
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(known.length)];
  for (const [name, value] of known) {
    const [type, bytes] = typed(value!);
    head.push(text(name), u32(type), bytes);
  }
  const random = createRandom(1);
  const data: Buffer[] = [];
  let offset = 0;
  for (const [name, shape] of tensors) {
    head.push(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset));
    const weights = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () =>
      name.includes('norm') ? 1 : (random() - 0.5) / 2,
    );
    data.push(f32(weights));
    offset += 4 * weights.length;
  }
  const start = Buffer.concat(head);
  const padding = Buffer.alloc((ALIGNMENT - (start.length % ALIGNMENT)) % ALIGNMENT);
  const path = join(folder, file);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, Buffer.concat([start, padding, ...data]));
  return path;
};
