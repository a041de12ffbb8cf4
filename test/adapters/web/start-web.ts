import { type IncomingMessage, request as httpRequest } from 'node:http';
import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';
import { stripTypeScriptTypes } from 'node:module';
import { BlockList } from 'node:net';
import { WebSocket } from 'ws';
import { createWebAdapter } from '../../../adapters/web/adapter.ts';
import { createAssets, type TypeStripper } from '../../../adapters/web/assets.ts';
import type { RealtimeOptions } from '../../../src/api/realtime/index.ts';
import type { Core } from '../../../src/adapter.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { WebOptions } from '../../../adapters/web/app.ts';
import type { ServerEvent, PageMessage, PageTranslation } from '../../../adapters/web/protocol.ts';
import { createFakeCore, type FakeCore } from '../../fakes/core.ts';
import { openServedCore } from '../../fakes/open-core.ts';
import { startSpeechFake, type SpeechFake } from '../../fakes/speech.ts';

/** The events of one page, in order. */
export interface Events {
  /** The next event, seen or to come, for which `wanted` gives something. */
  next<T>(wanted: (event: ServerEvent) => T | undefined): Promise<T>;
  /** The next message that has this. */
  message(part: (message: PageMessage) => boolean): Promise<PageMessage>;
  readonly lastId: () => string;
  close(): void;
}

/** The next translation that has come to its end. */
export const settled = (events: Events): Promise<PageTranslation> =>
  events.next((event) =>
    event.type === 'translation' && event.translation.state !== 'growing'
      ? event.translation
      : undefined,
  );

/** A browser without a page: it keeps cookies and listens. */
export interface Visitor {
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  events(lastId?: string): Promise<Events>;
}

const listen = (body: ReadableStream<Uint8Array>, abort: AbortController): Events => {
  const seen: ServerEvent[] = [];
  const waiting = new Set<() => void>();
  let lastId = '';
  const parser = createParser({
    onEvent: ({ id, data }) => {
      lastId = id ?? lastId;
      seen.push(JSON.parse(data) as ServerEvent);
      for (const look of waiting) look();
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  read().catch(() => undefined);

  const next: Events['next'] = (wanted) =>
    new Promise((resolve) => {
      const look = (): void => {
        for (const [index, event] of seen.entries()) {
          const found = wanted(event);
          if (found === undefined) continue;
          seen.splice(0, index + 1);
          waiting.delete(look);
          return resolve(found);
        }
      };
      waiting.add(look);
      look();
    });

  return {
    next,
    message: (part) =>
      next((event) =>
        event.type === 'message' && part(event.message) ? event.message : undefined,
      ),
    lastId: () => lastId,
    close: () => abort.abort(),
  };
};

const createVisitor = (
  url: string,
  locale = 'en',
  cookies: Map<string, string> = new Map(),
): Visitor => {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('accept-language', locale);
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const reply = await fetch(new URL(path, url), { redirect: 'manual', ...init, headers });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return reply;
  };

  return {
    request,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    upload: async (name, bytes) => {
      const query = new URLSearchParams({ name, type: 'audio/wav' });
      const reply = await request(`/api/uploads?${query.toString()}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: bytes,
      });
      return ((await reply.json()) as { id: string }).id;
    },
    events: async (lastId = '') => {
      const abort = new AbortController();
      const reply = await request(`/events?last=${lastId}`, { signal: abort.signal });
      return listen(reply.body!, abort);
    },
  };
};

/** Connects as the page of somebody who records, until the test ends. */
export const openRecorder = (
  url: string,
  cookies: ReadonlyMap<string, string>,
  headers: Record<string, string> = {},
): WebSocket => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const socket = new WebSocket(new URL('/api/dictation', url.replace('http', 'ws')), {
    headers: { cookie, ...headers },
  });
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
};

/** Asks with headers that `fetch` does not allow, such as `Host`. */
export const ask = (url: string, headers: Record<string, string>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers }, (reply) => resolve(reply.resume()));
    request.once('error', reject);
    request.end();
  });

export interface StartedWeb extends AsyncDisposable {
  readonly core: FakeCore;
  readonly url: string;
  readonly visit: (locale?: string, cookies?: Map<string, string>) => Visitor;
}

/** Options of an adapter on a free port. */
export const OPTIONS: WebOptions = {
  host: '127.0.0.1',
  port: 0,
  token: undefined,
  trustedProxies: new BlockList(),
  clientAddressHeader: 'X-Forwarded-For',
  maxUploadBytes: 1_000_000,
};

const stripper: TypeStripper = {
  call: async (source) => stripTypeScriptTypes(source),
  [Symbol.asyncDispose]: async () => undefined,
};
/** What a page loads, stripped once for all tests and by no process of its own. */
const ASSETS = {
  ...createAssets(silentLog, stripper),
  [Symbol.asyncDispose]: async () => undefined,
};

interface StartOptions extends Partial<WebOptions> {
  /** Token of the core's metrics. */
  readonly metricsToken?: string;
  /** The installer of models; default: the service is not the built-in one. */
  readonly models?: Core['models'];
}

/** The web adapter on a free port, over a scripted core. */
export const createWeb = async ({
  metricsToken,
  models,
  ...options
}: StartOptions = {}): Promise<StartedWeb> => {
  const core = createFakeCore(metricsToken);
  const served = models ? { ...core, models } : core;
  const adapter = createWebAdapter({ ...OPTIONS, ...options }, served, ASSETS);
  const { where } = await adapter.start();
  return {
    core,
    url: where,
    visit: (locale, cookies) => createVisitor(where, locale, cookies),
    [Symbol.asyncDispose]: () => adapter[Symbol.asyncDispose](),
  };
};

/** The same, until the test ends. */
export const startWeb = async (options: StartOptions = {}): Promise<StartedWeb> => {
  const web = await createWeb(options);
  onTestFinished(() => web[Symbol.asyncDispose]());
  return web;
};

export interface StartedRealWeb extends AsyncDisposable {
  readonly url: string;
  /** @param cookies those of an earlier visit, for somebody who comes back */
  readonly visit: (cookies?: Map<string, string>) => Visitor;
}

/** The web adapter over the real core and commands, the fake service and a database. */
export const startRealWeb = async (
  speech: SpeechFake,
  databaseUrl = 'sqlite::memory:',
  uses: RealtimeOptions['uses'] = [],
  log?: Core['log'],
): Promise<StartedRealWeb> => {
  const running = await openServedCore(speech, databaseUrl, uses, log);
  const adapter = createWebAdapter(OPTIONS, running.core, ASSETS);
  running.attach(adapter);
  const { where } = await adapter.start();
  return {
    url: where,
    visit: (cookies) => createVisitor(where, 'en', cookies),
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
    },
  };
};

/** The fake service, until the test ends. */
export const startService = async (): Promise<SpeechFake> => {
  const speech = await startSpeechFake();
  onTestFinished(() => speech[Symbol.asyncDispose]());
  return speech;
};
