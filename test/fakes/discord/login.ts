import { Client, DefaultRestOptions, Events, GatewayIntentBits, Partials } from 'discord.js';
import { WebSocket } from 'ws';
import type { Json } from './faults.ts';
import type { DiscordFake } from './start.ts';

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMembers,
  GatewayIntentBits.GuildModeration,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

export interface LoggedIn extends AsyncDisposable {
  readonly client: Client<true>;
}

/** A form as bytes: where another undici was loaded first, discord.js cannot send one itself. */
const makeRequest: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  if (!(init.body instanceof FormData)) return DefaultRestOptions.makeRequest(url, init);
  const form = new Response(init.body);
  const type = form.headers.get('content-type') ?? '';
  return DefaultRestOptions.makeRequest(url, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), 'content-type': type },
    body: new Uint8Array(await form.arrayBuffer()),
  });
};

/** A discord.js client that is ready. It identifies again without its own wait of five seconds. */
export const login = async (
  discord: DiscordFake,
  intents: readonly number[] = INTENTS,
): Promise<LoggedIn> => {
  const client = new Client({
    intents: [...intents],
    partials: [Partials.Channel, Partials.Message],
    rest: { api: discord.url, makeRequest },
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => undefined }) },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  return { client: await ready, [Symbol.asyncDispose]: () => client.destroy() };
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** One request as the bot would make it, without a library between. */
export const request = async (
  discord: DiscordFake,
  route: string,
  body?: unknown,
  token = discord.token,
): Promise<Answer> => {
  const [method = '', path = ''] = route.split(' ');
  const form = body instanceof FormData;
  const response = await fetch(`${discord.url}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${token}`,
      ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Json),
  };
};

export interface RawGateway extends Disposable {
  send(op: number, d: unknown): void;
  /** The next payload; rejects with the close code when there will be none. */
  next(): Promise<{ op: number; t: string | null; s: number | null; d: Json }>;
  close(code: number): void;
  /** Skips payloads up to an event of this type. */
  event(t: string): Promise<Json>;
}

/** A gateway connection without a library, after its HELLO. */
export const connect = async (discord: DiscordFake): Promise<RawGateway> => {
  const { body } = await request(discord, 'GET /gateway/bot');
  const socket = new WebSocket(`${String(body['url'])}?v=10&encoding=json`);
  const arrived: string[] = [];
  const waiting: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  let closed: number | undefined;
  socket.on('message', (raw: Buffer) => {
    const text = raw.toString('utf8');
    const first = waiting.shift();
    if (first) first.resolve(text);
    else arrived.push(text);
  });
  socket.on('close', (code) => {
    closed = code;
    for (const one of waiting.splice(0)) one.reject(new Error(`closed ${code}`));
  });
  const take = async (): Promise<string> => {
    const text = arrived.shift();
    if (text !== undefined) return text;
    if (closed !== undefined) throw new Error(`closed ${closed}`);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const next = async () =>
    JSON.parse(await take()) as { op: number; t: string | null; s: number | null; d: Json };
  await next();
  return {
    send: (op, d) => socket.send(JSON.stringify({ op, d })),
    next,
    close: (code) => socket.close(code),
    event: async (t) => {
      for (;;) {
        const payload = await next();
        if (payload.t === t) return payload.d;
      }
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
};

/** IDENTIFY's `d`. */
export const identity = (discord: DiscordFake, part: Json = {}): Json => ({
  token: discord.token,
  intents: INTENTS.reduce<number>((sum, bit) => sum | bit, 0),
  properties: { os: 'linux', browser: 'test', device: 'test' },
  ...part,
});
