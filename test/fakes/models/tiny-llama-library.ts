import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A library of language models whose tokens are bytes; the model writes what the library was asked for. */
export const LIBRARY = `
import { getPriority } from 'node:os';
const asked = {};
const bytes = (text) => [...Buffer.from(text)];
const createSequence = () => {
  let held = [];
  return {
    needsCheckpoints: false,
    get nextTokenIndex() { return held.length; },
    compareContextTokens: (tokens) => {
      const at = held.findIndex((token, index) => token !== tokens[index]);
      return { firstDifferentIndex: at < 0 ? held.length : at };
    },
    adaptStateToTokens: async (tokens) => { held = held.slice(0, tokens.length); },
    evaluateWithoutGeneratingNewTokens: async (tokens) => {
      if (tokens.length > asked.batch) throw new Error('too many at once');
      // Messages are read meanwhile, as while a model computes.
      await new Promise((resolve) => setTimeout(resolve, 1));
      held.push(...tokens);
      asked.parts = (asked.parts ?? 0) + 1;
    },
    evaluate: async function* (tokens, sampling) {
      held.push(...tokens);
      const { repeatPenalty, ...chosen } = sampling;
      asked.sampling = chosen;
      asked.priority = getPriority();
      for (const byte of bytes(JSON.stringify(asked))) { yield byte; held.push(byte); }
    },
  };
};
const createContext = async (options) => {
  asked.context = options;
  return { getSequence: createSequence };
};
export class JinjaTemplateChatWrapper {
  constructor({ template, additionalRenderParameters }) { asked.wrapper = { template, ...additionalRenderParameters }; }
  generateContextState({ chatHistory }) {
    const text = chatHistory.map((turn) => turn.text ?? turn.response.join('')).join('|');
    if (text.includes('disorder')) throw new Error('roles must alternate');
    return { contextText: { tokenize: (tokenizer) => tokenizer(text, false) } };
  }
}
export class LlamaGrammarEvaluationState {
  constructor({ grammar }) { this.grammar = grammar; }
}
export const getLlama = async (options) => {
  asked.llama = options;
  return {
    cpuMathCores: 64,
    getGrammarFor: async (type) => type,
    createGrammarForJsonSchema: async (schema) => {
      if (schema.bad) throw new Error('bad');
      return schema;
    },
    loadModel: async (loaded) => {
      if (loaded.modelPath.includes('broken')) throw new Error('no such architecture');
      asked.model = loaded;
      return {
        tokenizer: bytes,
        fileInfo: {
          metadata: { tokenizer: { chat_template: 'the template of the file' } },
          architectureMetadata: loaded.modelPath.includes('both-ways') ? { pooling_type: 1 } : {},
        },
        detokenize: (tokens) => Buffer.from(tokens).toString('utf8'),
        createContext,
        createEmbeddingContext: async ({ batchSize }) => {
          const _sequence = createSequence();
          asked.batch = batchSize;
          return {
            _sequence,
            _prepareInput: (tokens) => void tokens.push(0),
            _llamaContext: { _ctx: { getEmbedding: (tokens) => [tokens, _sequence.nextTokenIndex] } },
            getEmbeddingFor: async (tokens) => ({ vector: [tokens.length, batchSize] }),
            dispose: async () => {},
          };
        },
      };
    },
  };
};
`;

/** Writes a package in place of the library that language models run in; returns its folder. */
export const writeTinyLlamaLibrary = (folder: string): string => {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'dist/index.js'), LIBRARY);
  return folder;
};
