import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A number that stands for a piece of text. */
export type LlamaToken = number;

/** The part of node-llama-cpp's types (3.22) that is used here. */
export interface Grammar {
  readonly grammar: string;
}
interface GrammarState {
  readonly model: unknown;
}
export interface EvaluateOptions {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly seed?: number;
  readonly repeatPenalty: {
    readonly punishTokens: () => readonly LlamaToken[];
    readonly penalty: number;
    readonly frequencyPenalty: number;
    readonly presencePenalty: number;
  };
  readonly grammarEvaluationState?: GrammarState;
}
export interface Sequence {
  /** True where what was read can be kept up to a checkpoint only. */
  readonly needsCheckpoints: boolean;
  readonly nextTokenIndex: number;
  compareContextTokens(tokens: readonly LlamaToken[]): { readonly firstDifferentIndex: number };
  adaptStateToTokens(tokens: readonly LlamaToken[], allowShift: false): Promise<void>;
  takeCheckpoint(): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly LlamaToken[]): Promise<void>;
  evaluate(
    tokens: readonly LlamaToken[],
    options: EvaluateOptions,
  ): AsyncGenerator<LlamaToken, void>;
}
interface Context {
  getSequence(options: { readonly checkpoints: object }): Sequence;
}
/** The library does not promise what begins with `_`, by which a text can be read in parts. */
export interface EmbeddingContext {
  dispose(): Promise<void>;
  getEmbeddingFor(tokens: readonly LlamaToken[]): Promise<{ readonly vector: readonly number[] }>;
  /** Adds the tokens that a text begins and ends with. */
  _prepareInput(tokens: LlamaToken[]): void;
  readonly _sequence: Sequence;
  readonly _llamaContext: {
    readonly _ctx: { getEmbedding(tokens: number): Iterable<number> };
  };
}
type Tokenizer = (text: string, specialTokens?: boolean) => LlamaToken[];
export interface LlamaModel {
  readonly tokenizer: Tokenizer;
  readonly fileInfo: {
    readonly metadata: { readonly tokenizer: { readonly chat_template?: string } };
    /** `pooling_type` is that of `llama_pooling_type`. */
    readonly architectureMetadata: {
      readonly pooling_type?: number;
      readonly attention?: { readonly causal?: boolean };
    };
  };
  detokenize(tokens: readonly LlamaToken[], special: boolean, last: readonly LlamaToken[]): string;
  createContext(options: object): Promise<Context>;
  createEmbeddingContext(options: object): Promise<EmbeddingContext>;
}
export interface Llama {
  readonly cpuMathCores: number;
  loadModel(options: object): Promise<LlamaModel>;
  getGrammarFor(type: 'json'): Promise<Grammar>;
  createGrammarForJsonSchema(schema: object): Promise<Grammar>;
}
/** A turn of a conversation as the library takes it. */
export type Turn =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly string[] };
export interface ChatWrapper {
  generateContextState(options: { readonly chatHistory: readonly Turn[] }): {
    readonly contextText: { tokenize(tokenizer: Tokenizer): readonly LlamaToken[] };
  };
}
export interface Library {
  readonly JinjaTemplateChatWrapper: new (options: {
    readonly template: string;
    readonly tokenizer: Tokenizer;
    readonly additionalRenderParameters: object;
  }) => ChatWrapper;
  readonly LlamaGrammarEvaluationState: new (options: {
    readonly model: LlamaModel;
    readonly grammar: Grammar;
  }) => GrammarState;
  getLlama(options: object): Promise<Llama>;
}

/**
 * Says how to get the library where it is not installed.
 *
 * @param binary name of the package for this machine; undefined where there is none
 */
export const libraryAdvice = (binary: string | undefined): string =>
  binary === undefined
    ? 'there is no node-llama-cpp for this system (nor for any Linux with musl, such as Alpine); set SERVICE_OPENAI_URL to a server that has the OpenAI API'
    : 'npm run setup, which adds node-llama-cpp, or npm run service -- models add with the model again';

/** Loads the library from the folder of its package. */
export const loadLibrary = async (folder: string): Promise<Library> =>
  (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as Library;
