import { availableParallelism, setPriority } from 'node:os';
import { closeStandardError, serveParent } from '../../../src/process/serve-parent.ts';
import { BATCH_TOKENS, readPrompt, writeReply } from './generate.ts';
import { loadLibrary, type Grammar, type Llama, type Sequence, type Turn } from './library.ts';
import type {
  LlamaCompletion,
  LlamaConfig,
  LlamaReply,
  LlamaRequest,
  LlamaMessage,
} from './protocol.ts';
import { createVectors } from './vectors.ts';

/** Politeness towards the other processes of the machine, from 0 to 19. */
const NICENESS = 10;
/** Points of a conversation that are kept, in models that cannot go back to any. */
const CHECKPOINTS = { max: 4, interval: false };
/** Written tokens that the penalties for repetition look at. */
const PUNISHED_TOKENS = 64;
/** Line breaks after which the library's grammars end; a model may go on with them. */
const JSON_END = '\n\n\n\n';

const config = JSON.parse(process.argv[2] ?? '{}') as LlamaConfig;

/** Other programs have a core of their own: two threads on two busy cores take four times as long. */
const threadsOf = ({ cpuMathCores }: Llama): number =>
  Math.max(1, Math.min(cpuMathCores, availableParallelism()) - 1);

const load = async () => {
  setPriority(NICENESS);
  const library = await loadLibrary(config.packageFolder);
  const llama = await library.getLlama({
    build: 'never',
    skipDownload: true,
    gpu: false,
    progressLogs: false,
    logLevel: 'error',
  });
  const threads = threadsOf(llama);
  // How much memory there is was looked at before.
  const ours = { ignoreMemorySafetyChecks: true };
  const model = await llama.loadModel({ modelPath: config.path, gpuLayers: 0, ...ours });
  const { chat_template: template } = model.fileInfo.metadata.tokenizer;
  const context =
    template === undefined
      ? undefined
      : await model.createContext({
          contextSize: config.contextTokens,
          sequences: config.sequences,
          batchSize: BATCH_TOKENS,
          threads: { ideal: threads, min: threads },
          swaFullCache: true,
          failedCreationRemedy: false,
          ...ours,
        });
  const free = Array.from({ length: context ? config.sequences : 0 }, () =>
    context!.getSequence({ checkpoints: CHECKPOINTS }),
  );
  const wrapper =
    template === undefined
      ? undefined
      : new library.JinjaTemplateChatWrapper({
          template,
          tokenizer: model.tokenizer,
          additionalRenderParameters: { enable_thinking: false },
        });
  closeStandardError();
  return { library, llama, model, free, wrapper };
};

type Loaded = Awaited<ReturnType<typeof load>>;

const loading = load();
// What cannot be loaded now cannot be loaded for the next call either: that is told like a crash.
loading.catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

const turnOf = ({ role, content }: LlamaMessage): Turn =>
  role === 'assistant' ? { type: 'model', response: [content] } : { type: role, text: content };

/** The tokens of a prompt, where what people wrote is plain text; undefined where the template refuses it. */
const tokensOf = ({ wrapper, model }: Loaded, messages: readonly LlamaMessage[]) => {
  try {
    const chatHistory = [...messages.map(turnOf), { type: 'model' as const, response: [] }];
    return wrapper?.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
  } catch {
    return undefined;
  }
};

const grammarOf = async (
  llama: Llama,
  format: LlamaCompletion['format'],
): Promise<Grammar | undefined | 'bad-format'> => {
  if (format === undefined) return undefined;
  try {
    return await (format === 'json'
      ? llama.getGrammarFor('json')
      : llama.createGrammarForJsonSchema(format));
  } catch {
    return 'bad-format';
  }
};

/** Takes the sequence that has read the most of a prompt; there is one for each call that may run. */
const takeSequence = ({ free }: Loaded, tokens: readonly number[]): Sequence => {
  const shared = free.map((one) => one.compareContextTokens(tokens).firstDifferentIndex);
  return free.splice(shared.indexOf(Math.max(...shared)), 1)[0]!;
};

const complete = async (
  { messages, mostTokens, sampling, stop, format }: LlamaCompletion,
  signal: AbortSignal,
  send: (text: string) => void,
): Promise<LlamaReply> => {
  const loaded = await loading;
  const { library, llama, model, free } = loaded;
  const grammar = await grammarOf(llama, format);
  if (grammar === 'bad-format') return { kind: 'bad-format' };
  const prompt = tokensOf(loaded, messages);
  if (!prompt) return { kind: 'bad-messages' };
  const roomTokens = config.contextTokens - prompt.length;
  if (roomTokens <= 0) return { kind: 'too-long', mostTokens: config.contextTokens };
  const sequence = takeSequence(loaded, prompt);
  try {
    const cachedTokens = await readPrompt(sequence, prompt, signal);
    const { repetition, frequency, presence, ...chosen } = sampling;
    const written = await writeReply(
      model,
      sequence,
      prompt,
      {
        mostTokens: Math.min(mostTokens, roomTokens),
        stops: grammar ? [...stop, JSON_END] : stop,
        send,
        options: (tokens) => ({
          ...chosen,
          repeatPenalty: {
            punishTokens: () => tokens.slice(-PUNISHED_TOKENS),
            penalty: repetition,
            frequencyPenalty: frequency,
            presencePenalty: presence,
          },
          ...(grammar
            ? {
                grammarEvaluationState: new library.LlamaGrammarEvaluationState({ model, grammar }),
              }
            : {}),
        }),
      },
      signal,
    );
    return { kind: 'completed', promptTokens: prompt.length, cachedTokens, ...written };
  } finally {
    free.push(sequence);
  }
};

const vectors = createVectors(loading, config.contextTokens, threadsOf);

serveParent((request: LlamaRequest, signal, send) =>
  request.kind === 'complete' ? complete(request, signal, send) : vectors.answer(request, signal),
);
