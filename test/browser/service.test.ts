import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type OpenAIClient from 'openai';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATHS, type Voice } from '../../src/api/contract.ts';
import { LONG_TEXT, loudness, useServedFile } from '../service/clients/support.ts';
import { KEY, makeWav, startTestService } from '../service/support.ts';
import { serve } from '../fakes/serve.ts';
import { launchBrowser } from './chromium.ts';

/** A page without anything; below `/openai/` the package `openai`, as the npm registry has it. */
const startSite = () =>
  serve((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://site');
    const isPackage = pathname.startsWith('/openai/');
    response.setHeader('content-type', isPackage ? 'text/javascript' : 'text/html');
    const path = join('node_modules', pathname);
    void (isPackage ? readFile(path, 'utf8') : Promise.resolve('<title>A page</title>')).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });

const sites: Awaited<ReturnType<typeof startSite>>[] = [];
let browser: Browser;
let listed: Page;
let other: Page;

beforeAll(async () => {
  sites.push(await startSite(), await startSite());
  browser = await launchBrowser();
  const open = async (url: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(url);
    return page;
  };
  [listed, other] = await Promise.all([open(sites[0]!.url), open(sites[1]!.url)]);
});
const served = useServedFile((variables) =>
  startTestService(variables, undefined, [sites[0]!.url]),
);
afterAll(async () => {
  await browser.close();
  for (const site of sites) await site[Symbol.asyncDispose]();
});

/** What a page's script is given: the address of the service and the key. */
const given = (): { url: string; key: string } => ({ url: served().service.service.url, key: KEY });

/** Connects as a page does, sends the messages, and collects what comes until the end. */
const converse = async (
  page: Page,
  path: string,
  messages: readonly object[],
): Promise<{ code: number; protocol: string; types: string[]; texts: string[]; audio: Buffer }> => {
  const { audio, ...rest } = await page.evaluate(
    async ({ url, key, path: where, messages: sent }) => {
      const encoded = btoa(key).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      const socket = new WebSocket(`${url.replace('http', 'ws')}${where}`, [
        'realtime',
        `openai-insecure-api-key.${encoded}`,
      ]);
      socket.binaryType = 'arraybuffer';
      const types: string[] = [];
      const texts: string[] = [];
      let bytes = '';
      socket.addEventListener('open', () => {
        for (const message of sent) socket.send(JSON.stringify(message));
      });
      socket.addEventListener('message', ({ data }: { data: unknown }) => {
        if (data instanceof ArrayBuffer) {
          for (const byte of new Uint8Array(data)) bytes += String.fromCodePoint(byte);
          return;
        }
        const { type, text } = JSON.parse(String(data)) as { type: string; text?: string };
        types.push(type);
        if (type === 'asr.final_result') texts.push(text ?? '');
        if (type === 'tts.audio.done') socket.close();
      });
      const code = await new Promise<number>((resolve) => {
        socket.addEventListener('close', (event) => resolve(event.code));
      });
      return { code, protocol: socket.protocol, types, texts, audio: btoa(bytes) };
    },
    { ...given(), path, messages },
  );
  return { ...rest, audio: Buffer.from(audio, 'base64') };
};

const recognition = (): object[] => [
  {
    type: 'input_audio.append',
    audio: makeWav(3, [[0.5, 1.5]])
      .subarray(44)
      .toString('base64'),
  },
  { type: 'session.close' },
];

describe('a page of a listed origin', () => {
  test('lists the voices and reads the id of the reply', async () => {
    const { voices, id } = await listed.evaluate(async ({ url, key }) => {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${url}/tts/voices`, { headers });
      const body = (await reply.json()) as { voices: unknown[] };
      return { voices: body.voices.length, id: reply.headers.get('x-request-id') };
    }, given());
    expect(voices).toBeGreaterThan(0);
    expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  test('gets speech as bytes', async () => {
    const audio = await listed.evaluate(async ({ url, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const list = await fetch(`${url}/tts/voices`, { headers });
      const { voices } = (await list.json()) as { voices: { id: string; description: string }[] };
      const voice = voices.find(({ description }) => description.includes('alloy'));
      const fields = { voice_id: voice?.id, text: 'Hello', format: 'mp3', stream: true };
      const body = JSON.stringify(fields);
      const reply = await fetch(`${url}/tts`, { method: 'POST', headers, body });
      let bytes = '';
      for (const byte of new Uint8Array(await reply.arrayBuffer()))
        bytes += String.fromCodePoint(byte);
      return btoa(bytes);
    }, given());
    const { seconds, peak } = await loudness(Buffer.from(audio, 'base64'));
    expect(seconds).toBeCloseTo(1, 0);
    expect(peak).toBeGreaterThan(0.1);
  });

  test('reads a translation as it comes', async () => {
    const release = served().backEnd.hold();
    const reading = listed.evaluateHandle(
      async ({ url, key, text: spoken }) => {
        const body = new FormData();
        const fields = { text: spoken, source_lang: 'es', target_lang: 'en', stream: 'true' };
        for (const [name, value] of Object.entries(fields)) body.append(name, value);
        const headers = { authorization: `Bearer ${key}` };
        const reply = await fetch(`${url}/translate/`, { method: 'POST', headers, body });
        const reader = reply.body!.getReader();
        const decoder = new TextDecoder();
        let text = '';
        const readUntil = async (end: string): Promise<string> => {
          while (!text.includes(end)) {
            const { done, value } = await reader.read();
            if (done) throw new Error(`no ${end}`);
            text += decoder.decode(value, { stream: true });
          }
          return text;
        };
        return { early: await readUntil('story'), readUntil };
      },
      { ...given(), text: LONG_TEXT },
    );
    const handle = await reading;
    expect(await handle.evaluate(({ early }) => early)).not.toContain('it ends');
    release();
    const whole = await handle.evaluate(async ({ readUntil }) => readUntil('[DONE]'));
    expect(whole).toContain(`"transcription":"${LONG_TEXT}"`);
    expect(whole).toContain('since I was a child.');
  });

  test('reads a chat as it comes, and frees the engine when it stops reading', async () => {
    const release = served().backEnd.hold();
    const first = await listed.evaluate(async ({ url, key }) => {
      const controller = new AbortController();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const messages = [{ role: 'user', content: 'Hello' }];
      const reply = await fetch(`${url}/openai/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ messages, stream: true }),
        signal: controller.signal,
      });
      const { value } = await reply.body!.getReader().read();
      controller.abort();
      return new TextDecoder().decode(value);
    }, given());
    expect(first).toContain('"content":"Hello"');
    expect(await served().backEnd.requests.at(-1)?.aborted).toBe(true);
    release();
  });

  test('reads the service’s errors, and how long to wait', async () => {
    served().backEnd.fail('/chat/completions', { kind: 'status', status: 429, retryAfter: '7' });
    const read = await listed.evaluate(async ({ url, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
      const path = `${url}/openai/v1/chat/completions`;
      const reply = await fetch(path, { method: 'POST', headers, body });
      const { name } = (await reply.json()) as { name: string };
      const unknown = await fetch(path, { headers: { authorization: 'Bearer svck:none' } });
      return [name, reply.headers.get('retry-after'), unknown.status];
    }, given());
    expect(read).toEqual(['ErrRateLimited', '7', 401]);
  });

  test('chats with the package `openai`', async () => {
    const content = "import OpenAI from '/openai/index.mjs'; globalThis.OpenAI = OpenAI;";
    await listed.addScriptTag({ type: 'module', content });
    await listed.waitForFunction('globalThis.OpenAI');
    const words = await listed.evaluate(async ({ url, key }) => {
      const { OpenAI } = globalThis as unknown as { OpenAI: typeof OpenAIClient };
      const client = new OpenAI({
        baseURL: `${url}/openai/v1`,
        apiKey: key,
        dangerouslyAllowBrowser: true,
      });
      const stream = await client.chat.completions.create({
        model: 'talk-1',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
      });
      const found: string[] = [];
      for await (const { choices } of stream) found.push(choices[0]?.delta.content ?? '');
      return found;
    }, given());
    expect(words).toEqual(['Hello', ', ', 'world', '']);
  });

  test('recognises speech over a WebSocket', async () => {
    const heard = await converse(listed, PATHS.realtimeRecognition, recognition());
    expect(heard).toMatchObject({ code: 1000, protocol: 'realtime', texts: ['hello there'] });
    expect(heard.types.at(-1)).toBe('session.usage');
  });

  test('connects as the page about the service shows it', async () => {
    const { url, key } = given();
    const blocks = readFileSync('docs/service.md', 'utf8').split('```');
    const code = blocks.find((block) => block.includes('openai-insecure-api-key.')) ?? '';
    const address = 'ws://127.0.0.1:8090';
    expect(code).toContain(address);
    const program = code.replace(/^js\n/, '').replace(address, url.replace('http', 'ws'));
    const first = `new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(data).type));
      socket.addEventListener('close', ({ code }) => resolve(code));
      socket.addEventListener('open', () => socket.send('{"type":"session.close"}'));
    })`;
    expect(
      await listed.evaluate(`(() => { const key = '${key}'; ${program}; return ${first}; })()`),
    ).toBe('session.created');
  });

  test('speaks over a WebSocket', async () => {
    const reply = await served().service.request(PATHS.voices);
    const { voices } = (await reply.json()) as { voices: Voice[] };
    const voice_id = voices.find(({ description }) => description?.includes('alloy'))?.id;
    const session = { voice_id, format: 'mp3', audio_transport: 'binary' };
    const { audio, types } = await converse(listed, PATHS.realtimeSpeech, [
      { type: 'session.update', session },
      { type: 'tts.speak', text: 'Hello' },
    ]);
    expect(types).toContain('tts.audio.start');
    expect((await loudness(audio)).peak).toBeGreaterThan(0.1);
  });
});

describe('a page of another origin', () => {
  test('is refused by requests', async () => {
    const seen = served().backEnd.requests.length;
    const error = await other.evaluate(async ({ url, key }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
      const path = `${url}/openai/v1/chat/completions`;
      return fetch(path, { method: 'POST', headers, body }).then(
        () => 'a reply',
        (thrown: unknown) => String(thrown),
      );
    }, given());
    expect(error).toBe('TypeError: Failed to fetch');
    expect(served().backEnd.requests).toHaveLength(seen);
  });

  test('is refused by WebSockets', async () => {
    const { code, types } = await converse(other, PATHS.realtimeRecognition, recognition());
    expect({ code, types }).toEqual({ code: 1006, types: [] });
  });
});
