import { startFakeOpenai } from '../openai.ts';

/** A server with the OpenAI API in a process of its own: it answers in pieces, a moment apart. */

const PAUSE_MS = 20;

const { url } = await startFakeOpenai({
  port: Number(process.env['PORT'] ?? 0),
  pauseMs: PAUSE_MS,
  chat: () => ['la ', 'zorra ', 'parda'],
});
console.log(url);
