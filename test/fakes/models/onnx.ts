import { block, integer } from './protobuf.ts';

/** Element types of ONNX tensors. */
const FLOAT = 1;
const INT64 = 7;

export type Attributes = Readonly<Record<string, number | readonly number[]>>;

export interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Attributes;
}

/** A name and its dimensions; a dimension with a name has the size of what is given. */
export interface Port {
  readonly name: string;
  readonly type: 'float' | 'int64';
  readonly shape: readonly (number | string)[];
}

export interface Constant {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array | BigInt64Array;
}

export interface Graph {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly constants: readonly Constant[];
  readonly nodes: readonly Node[];
  readonly metadata: Readonly<Record<string, string | number>>;
}

const attribute = (name: string, value: number | readonly number[]): Buffer =>
  typeof value === 'number'
    ? Buffer.concat([block(1, name), integer(3, value), integer(20, 2)])
    : Buffer.concat([block(1, name), ...value.map((one) => integer(8, one)), integer(20, 7)]);

const node = ({ op, inputs, output, attributes = {} }: Node): Buffer =>
  Buffer.concat([
    ...inputs.map((name) => block(1, name)),
    block(2, output),
    block(4, op),
    ...Object.entries(attributes).map(([name, value]) => block(5, attribute(name, value))),
  ]);

const constant = ({ name, shape, values }: Constant): Buffer =>
  Buffer.concat([
    ...shape.map((size) => integer(1, size)),
    integer(2, values instanceof Float32Array ? FLOAT : INT64),
    block(8, name),
    block(9, new Uint8Array(values.buffer)),
  ]);

const port = ({ name, type, shape }: Port): Buffer => {
  const dimensions = shape.map((size) =>
    block(1, typeof size === 'number' ? integer(1, size) : block(2, size)),
  );
  const tensor = Buffer.concat([
    integer(1, type === 'float' ? FLOAT : INT64),
    block(2, Buffer.concat(dimensions)),
  ]);
  return Buffer.concat([block(1, name), block(2, block(1, tensor))]);
};

/** An ONNX file (opset 13) of `graph`. */
export const encodeOnnx = (graph: Graph): Buffer =>
  Buffer.concat([
    integer(1, 8),
    block(
      7,
      Buffer.concat([
        ...graph.nodes.map((one) => block(1, node(one))),
        block(2, 'graph'),
        ...graph.constants.map((one) => block(5, constant(one))),
        ...graph.inputs.map((one) => block(11, port(one))),
        ...graph.outputs.map((one) => block(12, port(one))),
      ]),
    ),
    block(8, Buffer.concat([block(1, ''), integer(2, 13)])),
    ...Object.entries(graph.metadata).map(([key, value]) =>
      block(14, Buffer.concat([block(1, key), block(2, String(value))])),
    ),
  ]);

/** A constant of whole numbers. */
export const integers = (name: string, values: readonly number[]) => ({
  name,
  shape: [values.length],
  values: BigInt64Array.from(values, BigInt),
});
