import type { ChatModel } from '../../../../service/engines/llama/model.ts';
import {
  createProcesses,
  type ProcessOptions,
} from '../../../../service/engines/llama/processes.ts';
import type { LlamaCompletion } from '../../../../service/engines/llama/protocol.ts';
import { silentLog } from '../../../fakes/silent-log.ts';

export const languageModel = (name: string, more: Partial<ChatModel> = {}): ChatModel => ({
  name,
  path: `/models/${name}/${name}.gguf`,
  bytes: 1e9,
  parameters: 2e9,
  trainedTokens: 8_192,
  tokenBytes: 1_000,
  isForVectors: false,
  isForTranslation: false,
  names: name,
  ...more,
});

/** Processes of a fake that does what it is told; see `llama-worker.ts`. */
export const fakeProcesses = (options: Partial<ProcessOptions> = {}) =>
  createProcesses({
    worker: new URL('../../../fakes/llama-worker.ts', import.meta.url),
    log: silentLog,
    sequences: 1,
    contextTokens: 4_096,
    freeBytes: () => 8e9,
    ...options,
  });

export const saying = (content: string, mostTokens = 1_000): LlamaCompletion => ({
  kind: 'complete',
  messages: [{ role: 'user', content }],
  mostTokens,
  sampling: {
    temperature: 0,
    topP: 1,
    topK: 0,
    minP: 0,
    repetition: 1,
    frequency: 0,
    presence: 0,
  },
  stop: [],
});
