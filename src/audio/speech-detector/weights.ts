import { BIG_ENDIAN } from '../pcm.ts';

/** Reads the weights of Silero VAD (versions 5 and 6) from its ONNX file, for sound of 16 kHz. */

const FIELDS = {
  model: { graph: 7 },
  graph: { node: 1 },
  node: { attribute: 5 },
  attribute: { tensor: 5, graph: 6 },
  tensor: { name: 8, raw: 9 },
} as const;

/** The parts of some messages (Protocol Buffers) that are in one of their fields. */
const partsOf = (messages: readonly Buffer[], field: number): Buffer[] =>
  messages.flatMap((message) => {
    const parts: Buffer[] = [];
    let at = 0;
    const readVarint = (): number => {
      let value = 0;
      for (let weight = 1; ; weight *= 128) {
        const byte = message.readUInt8(at);
        at += 1;
        value += (byte & 127) * weight;
        if (byte < 128) return value;
      }
    };
    while (at < message.length) {
      const tag = readVarint();
      const kind = tag % 8;
      if (kind === 0) readVarint();
      else {
        const length = kind === 2 ? readVarint() : kind === 1 ? 8 : 4;
        if (kind === 2 && Math.floor(tag / 8) === field)
          parts.push(message.subarray(at, at + length));
        at += length;
      }
    }
    return parts;
  });

/** The lengths of what the network uses, by the names of the tensors. */
const LENGTHS = {
  'encoder.0.reparam_conv.weight': 128 * 129 * 3,
  'encoder.0.reparam_conv.bias': 128,
  'encoder.1.reparam_conv.weight': 64 * 128 * 3,
  'encoder.1.reparam_conv.bias': 64,
  'encoder.2.reparam_conv.weight': 64 * 64 * 3,
  'encoder.2.reparam_conv.bias': 64,
  'encoder.3.reparam_conv.weight': 128 * 64 * 3,
  'encoder.3.reparam_conv.bias': 128,
  'decoder.rnn.weight_ih': 512 * 128,
  'decoder.rnn.weight_hh': 512 * 128,
  'decoder.rnn.bias_ih': 512,
  'decoder.rnn.bias_hh': 512,
  'decoder.decoder.2.weight': 128,
  'decoder.decoder.2.bias': 1,
} as const;

/** Layers of the network: convolutions as [output][input][time], the recurrent one as [gate][input]. */
export type Weights = Readonly<Record<keyof typeof LENGTHS, Float32Array>>;

const floatsOf = (bytes: Buffer): Float32Array => {
  const aligned = Buffer.from(Uint8Array.from(bytes).buffer);
  if (BIG_ENDIAN) aligned.swap32();
  return new Float32Array(aligned.buffer);
};

/** Reads the weights; undefined when the file has another network. */
export const readWeights = (file: Buffer): Weights | undefined => {
  const attributesOf = (graphs: readonly Buffer[]): Buffer[] =>
    partsOf(partsOf(graphs, FIELDS.graph.node), FIELDS.node.attribute);
  const main = partsOf([file], FIELDS.model.graph);
  // The network has two branches, one for each sample rate.
  for (const branch of partsOf(attributesOf(main), FIELDS.attribute.graph)) {
    const tensors = new Map(
      partsOf(attributesOf([branch]), FIELDS.attribute.tensor).map((tensor) => [
        partsOf([tensor], FIELDS.tensor.name)[0]?.toString(),
        partsOf([tensor], FIELDS.tensor.raw)[0],
      ]),
    );
    const isWhole = Object.entries(LENGTHS).every(
      ([name, length]) => tensors.get(name)?.length === length * 4,
    );
    if (isWhole)
      return Object.fromEntries(
        Object.keys(LENGTHS).map((name) => [name, floatsOf(tensors.get(name)!)]),
      ) as unknown as Weights;
  }
  return undefined;
};
