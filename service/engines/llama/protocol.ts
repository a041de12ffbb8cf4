import type { EvaluateOptions } from './library.ts';

/** The start of a process with a language model. */
export interface LlamaConfig {
  /** Folder of the package of the library. */
  readonly packageFolder: string;
  /** Path of the model's file. */
  readonly path: string;
  /** Tokens of prompt and reply together. */
  readonly contextTokens: number;
  /** Conversations at the same time. */
  readonly sequences: number;
}

export interface LlamaMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Choice of the next word. */
export interface Sampling extends Pick<
  EvaluateOptions,
  'temperature' | 'topP' | 'topK' | 'minP' | 'seed'
> {
  readonly repetition: number;
  readonly frequency: number;
  readonly presence: number;
}

export interface LlamaCompletion {
  readonly kind: 'complete';
  readonly messages: readonly LlamaMessage[];
  readonly mostTokens: number;
  readonly sampling: Sampling;
  /** Texts that end the reply, and are left out. */
  readonly stop: readonly string[];
  /** A schema that the reply keeps to, or `json` for any; undefined for words. */
  readonly format?: 'json' | object | undefined;
}

/** Asks for the vector of a text, or whether it can be made. */
export interface VectorRequest {
  readonly kind: 'measure' | 'vector';
  readonly text: string;
}

export type LlamaRequest = LlamaCompletion | VectorRequest;

/** The end of a reply, whose words have come as parts, or a reason not to answer. */
export type LlamaReply =
  | {
      readonly kind: 'completed';
      readonly finish: 'stop' | 'length';
      readonly promptTokens: number;
      /** Tokens of the prompt that were read before. */
      readonly cachedTokens: number;
      readonly replyTokens: number;
    }
  | { readonly kind: 'measured' }
  | { readonly kind: 'vector'; readonly vector: readonly number[]; readonly tokens: number }
  | { readonly kind: 'too-long'; readonly mostTokens: number }
  | { readonly kind: 'bad-format' | 'bad-messages' };
