import { once } from 'node:events';
import { fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { createServiceClient } from '../src/api/client.ts';
import { NO_SPACE } from '../src/model/lane.ts';
import { PATHS } from '../src/api/contract.ts';
import { fixed, median, printTable } from './measure.ts';

/** Uploads 10 MB of audio in a process of its own and tells how far its memory grew. */

const AUDIO_BYTES = 10_000_000;
const RUNS = 5;

/** In the measuring process, so that the uploading one's memory is the client's alone. */
const startServer = async (): Promise<Server> => {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"text":"","language":"en","confidence":1}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

type Way = 'streamed' | 'whole';

const signal = new AbortController().signal;

const upload: Record<Way, (baseUrl: string, audio: Uint8Array) => Promise<unknown>> = {
  streamed: async (baseUrl, audio) => {
    await using client = createServiceClient({ baseUrl, key: 'svck:bench' });
    const source = {
      sizeBytes: audio.length,
      async *open() {
        for (let at = 0; at < audio.length; at += 65_536) yield audio.subarray(at, at + 65_536);
      },
    };
    return await client.transcribe(source, {}, { lane: 'live', space: NO_SPACE, signal });
  },
  whole: async (baseUrl, audio) => {
    const body = JSON.stringify({ audio: Buffer.from(audio).toString('base64') });
    const { body: reply } = await request(baseUrl + PATHS.asr, { method: 'POST', body });
    return reply.json();
  },
};

const measureOnce = async (way: Way, baseUrl: string): Promise<void> => {
  const audio = Buffer.alloc(AUDIO_BYTES, 'audio');
  // Connections, code and buffers of a first call are there before the measured one.
  await upload[way](baseUrl, audio.subarray(0, 300_000));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  await upload[way](baseUrl, audio);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  peak = Math.max(peak, process.memoryUsage.rss());
  process.send?.({ growthMb: (peak - before) / 1e6, cpuMs: (user + system) / 1_000 });
};

const inOwnProcess = async (
  way: Way,
  baseUrl: string,
): Promise<{ growthMb: number; cpuMs: number }> => {
  const child = fork(import.meta.filename, [way, baseUrl], { execArgv: ['--expose-gc'] });
  const [figures] = (await once(child, 'message')) as [{ growthMb: number; cpuMs: number }];
  child.kill();
  return figures;
};

const [way, url = ''] = process.argv.slice(2);
if (way === 'streamed' || way === 'whole') {
  await measureOnce(way, url);
} else {
  const server = await startServer();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const streamed: { growthMb: number; cpuMs: number }[] = [];
  const whole: typeof streamed = [];
  for (let run = 0; run < RUNS; run += 1) {
    streamed.push(await inOwnProcess('streamed', baseUrl));
    whole.push(await inOwnProcess('whole', baseUrl));
  }
  const row = (what: string, key: 'growthMb' | 'cpuMs', unit: string) => {
    const ours = median(streamed.map((figures) => figures[key]));
    const common = median(whole.map((figures) => figures[key]));
    return {
      what,
      ours: `${fixed(ours, 1)} ${unit}`,
      common: `${fixed(common, 1)} ${unit}`,
      ratio: fixed(ours / common),
    };
  };
  printTable('10 MB of audio to the recogniser (bare: one JSON string)', [
    row('growth of the process’s memory, at its peak', 'growthMb', 'MB'),
    row('processor time of the client', 'cpuMs', 'ms'),
  ]);
  server.close();
  server.closeAllConnections();
}
