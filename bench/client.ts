import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { createServiceClient } from '../src/api/client.ts';
import { NO_SPACE } from '../src/model/service.ts';
import { completionChunk, PATHS } from '../src/api/contract.ts';
import { createServiceKey } from '../src/api/keys.ts';
import { readEvents } from '../src/http/event-stream.ts';
import { networkError, parseReply } from '../src/api/transport.ts';
import { comparePair, fixed, printTable } from './measure.ts';

const VOICES = JSON.stringify({
  voices: [
    {
      id: '7d1c7a6e-3f57-4c2c-9a1e-0d6f2a8b4c11',
      description: 'Ada',
      language: 'English',
      gender: 'Female',
      formats: ['mp3', 'wav'],
      sample_rates: [24_000],
      streaming: true,
    },
  ],
});

/** A server of its own thread, so that its work is not counted as the client's. */
const SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(workerData);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const callOverhead = async () => {
  const worker = new Worker(SERVER, { eval: true, workerData: VOICES });
  const [port] = (await once(worker, 'message')) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createServiceClient({ baseUrl, key: 'svck:bench' });
  const pool = new Pool(baseUrl);
  const { signal } = new AbortController();
  const pair = await comparePair(
    async () => client.voices({ lane: 'live', space: NO_SPACE, signal }),
    async () => {
      const { body } = await pool.request({ method: 'GET', path: PATHS.voices });
      return body.json();
    },
    { rounds: 15, calls: 400 },
  );
  await client[Symbol.asyncDispose]();
  await pool.destroy();
  await worker.terminate();
  return pair;
};

const EVENTS = 20_000;

const eventCost = async () => {
  const chunk = JSON.stringify({
    id: 'trans_bench',
    object: 'translation.completion.chunk',
    choices: [{ index: 0, delta: { content: 'ことば ' } }],
  });
  const bytes = Buffer.from(`data: ${chunk}\n\n`.repeat(EVENTS) + 'data: [DONE]\n\n');
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384);
  };
  const sent = createServiceKey('svck:bench');
  const ours = async () => {
    let text = '';
    for await (const data of readEvents(chunks(), networkError))
      text += parseReply(completionChunk, data, sent).choices?.[0]?.delta?.content ?? '';
    return text;
  };
  const common = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    let text = '';
    for await (const part of chunks()) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data: ') || line.endsWith('[DONE]')) continue;
        const parsed = JSON.parse(line.slice(6)) as { choices: { delta: { content: string } }[] };
        text += parsed.choices[0]?.delta.content ?? '';
      }
    }
    return text;
  };
  const pair = await comparePair(ours, common, { rounds: 9, calls: 1 });
  return { ...pair, oursUs: pair.oursUs / EVENTS, commonUs: pair.commonUs / EVENTS };
};

const call = await callOverhead();
const event = await eventCost();
printTable('The service’s client', [
  {
    what: 'one call on loopback (bare: undici, unchecked JSON)',
    ours: `${fixed(call.oursUs, 0)} µs`,
    common: `${fixed(call.commonUs, 0)} µs`,
    ratio: fixed(call.ratio),
  },
  {
    what: 'one event of a stream, checked (bare: split lines, unchecked JSON)',
    ours: `${fixed(event.oursUs)} µs`,
    common: `${fixed(event.commonUs)} µs`,
    ratio: fixed(event.ratio),
  },
]);
