import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATHS, type Voice } from '../../../src/api/contract.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import { bytesSource } from '../../../src/audio/bytes.ts';
import { AUDIO_FORMATS } from '../../../src/model/message.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { SpeechEngine } from '../../../service/engine.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import { createTts } from '../../../service/routes/tts.ts';
import { createSpools } from '../../../service/speech/spool.ts';
import { offering } from '../support.ts';

const RATE_HZ = 16_000;
const VOICE: Voice = {
  id: '00000000-0000-4000-8000-000000000001',
  description: 'one',
  language: 'English',
  gender: 'Female',
  formats: [...AUDIO_FORMATS],
  sample_rates: [RATE_HZ],
  streaming: true,
};
/** Sound of a sentence, in seconds: far more than what sockets buffer. */
const SENTENCE_SECONDS = 60;
/** Silence after each. */
const PAUSE_SECONDS = 0.25;

/** An engine that tells what it speaks; each sentence is a minute of a tone. */
const createEngine = (): { engine: SpeechEngine; spoken: string[] } => {
  const spoken: string[] = [];
  return {
    spoken,
    engine: {
      voices: async () => [VOICE],
      speak: async ({ text }, signal) => {
        signal.throwIfAborted();
        spoken.push(text.trim());
        return {
          sampleRateHz: RATE_HZ,
          pcm: (async function* () {
            const seconds = text.startsWith('Hi') ? 1 : SENTENCE_SECONDS;
            for (let second = 0; second < seconds; second += 1)
              yield new Float32Array(RATE_HZ).fill(0.25);
          })(),
        };
      },
    },
  };
};

describe('speech for several listeners', () => {
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 8 });
  let url: string;
  let spoken: string[];
  let allowed: number[];
  let close: () => void;

  beforeEach(async () => {
    const made = createEngine();
    ({ spoken } = made);
    allowed = [];
    const route = createTts(
      createSpools({ memoryBytes: 64_000, totalBytes: 200_000_000, most: 9 }),
    );
    const server = createServer((incoming, outgoing) => {
      const leaving = new AbortController();
      outgoing.once('close', () => leaving.abort(new Error('left')));
      const serve = async (): Promise<void> => {
        const parts = await Array.fromAsync(incoming);
        const reply = await route.handle({
          ...offering('one', made.engine, limiter),
          log: silentLog,
          account: operatorAccount(String(incoming.headers['x-key'] ?? 'one')),
          signal: leaving.signal,
          cutOff: () => outgoing.destroy(),
          allowMs: (ms) => allowed.push(ms),
          request: new Request('http://localhost/', { method: 'POST', body: Buffer.concat(parts) }),
        });
        outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
        for await (const bytes of reply.body!)
          if (!outgoing.write(bytes)) await once(outgoing, 'drain', { signal: leaving.signal });
        outgoing.end();
      };
      serve().catch((error: unknown) => {
        if (!outgoing.headersSent) outgoing.writeHead(500);
        outgoing.end(String((error as { named?: string }).named));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${PATHS.tts}`;
    close = () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterEach(() => close());

  const ask = (fields: object, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify({ voice_id: VOICE.id, format: 'pcm', text: 'Hi.', ...fields }),
      ...(signal ? { signal } : {}),
    });

  it('does not wait for those who do not read', async () => {
    const leaving = new AbortController();
    const listeners = await Promise.all(
      Array.from({ length: 4 }, () => ask({ text: 'Long one. Long two.' }, leaving.signal)),
    );
    expect(listeners.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const short = await ask({});
    expect((await short.arrayBuffer()).byteLength).toBe(2 * (1 + PAUSE_SECONDS) * RATE_HZ);
    await expect.poll(() => spoken.filter((text) => text === 'Long two.')).toHaveLength(4);
    leaving.abort();
  });

  it('gives a slow listener all of it', async () => {
    const reply = await ask({ text: 'Long one. Long two.' });
    expect(spoken).toHaveLength(2);
    expect((await reply.arrayBuffer()).byteLength).toBe(
      2 * 2 * (SENTENCE_SECONDS + PAUSE_SECONDS) * RATE_HZ,
    );
  });

  it('takes turns, sentence by sentence', async () => {
    const both = await Promise.all([
      ask({ text: 'Hi a1. Hi a2. Hi a3.' }),
      ask({ text: 'Hi b1. Hi b2. Hi b3.' }),
    ]);
    await Promise.all(both.map((reply) => reply.arrayBuffer()));
    const places = ['a', 'b'].map((one) => spoken.indexOf(`Hi ${one}3.`));
    expect(new Set(places)).toEqual(new Set([4, 5]));
  });

  it('allows as much time as playing takes twice', async () => {
    await (await ask({ text: 'Long one. Long two.' })).arrayBuffer();
    expect(allowed.at(-1)).toBeGreaterThan(2 * 2 * SENTENCE_SECONDS * 1_000);
  });

  it.each(['wav', 'flac'] as const)('sends a whole %s with its length', async (format) => {
    const reply = await ask({ text: 'Hi one. Hi two.', format });
    const bytes = new Uint8Array(await reply.arrayBuffer());
    expect(Number(reply.headers.get('content-length'))).toBe(bytes.length);
    let samples = 0;
    for await (const pcm of decode(bytesSource([bytes]), new AbortController().signal))
      samples += pcm.samples.length;
    expect(samples).toBe(2 * (1 + PAUSE_SECONDS) * RATE_HZ);
  });
});
