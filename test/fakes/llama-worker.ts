import { serveParent } from '../../src/process/serve-parent.ts';
import type {
  LlamaConfig,
  LlamaReply,
  LlamaRequest,
} from '../../service/engines/llama/protocol.ts';

const { path, contextTokens } = JSON.parse(process.argv[2] ?? '{}') as LlamaConfig;
if (path.includes('unknown')) {
  console.error("unknown model architecture: 'x'");
  process.exit(1);
}

const LETTERS_PER_TOKEN = 4;
let running = 0;
let mostRunning = 0;

const untilLeft = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', resolve));

/** Does what the last message says; answers others with their words and the most calls at once so far. */
const answer = async (
  request: LlamaRequest,
  signal: AbortSignal,
  send: (text: string) => void,
): Promise<LlamaReply> => {
  if (request.kind !== 'complete') {
    const { kind, text } = request;
    if (text.length >= contextTokens) return { kind: 'too-long', mostTokens: contextTokens };
    return kind === 'measure'
      ? { kind: 'measured' }
      : { kind, vector: [text.length, 0], tokens: 1 };
  }
  const said = request.messages.at(-1)?.content ?? '';
  const promptTokens = Math.ceil(said.length / LETTERS_PER_TOKEN);
  if (promptTokens >= contextTokens) return { kind: 'too-long', mostTokens: contextTokens };
  if (said === 'disorder') return { kind: 'bad-messages' };
  if (said === 'wait') {
    send('I wait');
    await untilLeft(signal);
  }
  if (said === 'die slowly') send('I');
  if (said.startsWith('die')) process.kill(process.pid, 'SIGKILL');
  if (said.startsWith('die')) return untilLeft(signal) as Promise<never>;
  const facts = new Map([
    ['most', mostRunning],
    ['pid', process.pid],
  ]);
  const words = String(facts.get(said) ?? said.split('\n\n').at(-1)).split(' ');
  const told = words.includes('loop') ? Array<string>(request.mostTokens).fill('the') : words;
  for (const word of told.slice(0, request.mostTokens)) send(`${word} `);
  return {
    kind: 'completed',
    finish: told.length > request.mostTokens ? 'length' : 'stop',
    promptTokens,
    cachedTokens: 0,
    replyTokens: told.length,
  };
};

serveParent(async (request: LlamaRequest, signal, send) => {
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  // Others that may run begin meanwhile.
  await new Promise(setImmediate);
  try {
    return await answer(request, signal, send);
  } finally {
    running -= 1;
  }
});
