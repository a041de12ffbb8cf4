import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket as WsSocket } from 'ws';
import { createAccounts, type Accounts } from '../../../service/keys/accounts.ts';
import { loadPrices } from '../../../service/keys/prices.ts';
import { serveRealtime, type RealtimeServer } from '../../../service/realtime/upgrade.ts';
import { createSpools, SPOOL_LIMITS } from '../../../service/speech/spool.ts';
import { PATHS } from '../../../src/api/contract.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createTestClock, type TestClock } from '../../fakes/clock.ts';
import { eventually } from '../../fakes/eventually.ts';
import { createKeys, type Keys } from '../keys/support.ts';
import { KEY, offering, startTestService } from '../support.ts';
import { instantOffer, joined, silenceOf, soundOf } from './support.ts';
import { json, text } from 'node:stream/consumers';

interface Refusal {
  readonly status: number;
  readonly requestId: string;
  readonly name: string;
  readonly error: string;
}

/** A client of the path; `headers` as a program sends them. */
const dial = (url: string, path: string, key: string | null = KEY): WsSocket =>
  new WsSocket(
    `${url.replace('http', 'ws')}${path}`,
    key === null ? {} : { headers: { authorization: `Bearer ${key}` } },
  );

const refusalOf = async (socket: WsSocket): Promise<Refusal> => {
  const [, response] = await once(socket, 'unexpected-response');
  const requestId = response.headers['x-request-id'];
  return {
    status: response.statusCode,
    requestId,
    ...((await json(response)) as Pick<Refusal, 'name' | 'error'>),
  };
};

const messagesOf = (socket: WsSocket): { type: string; code?: string; text?: string }[] => {
  const messages: { type: string }[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) messages.push(JSON.parse(data.toString()) as { type: string });
  });
  return messages;
};

let clock: TestClock;
let server: Server;
let realtime: RealtimeServer;
let url: string;
let keys: Keys;
let accounts: Accounts;
/** What the server uses in place of the accounts' own; a database that cannot be read, say. */
let find: Accounts['find'] | undefined;
let lines: { readonly level: number; readonly msg: string; readonly [field: string]: unknown }[];

beforeEach(async () => {
  find = undefined;
  lines = [];
  clock = createTestClock();
  server = createServer();
  const offer = instantOffer();
  const { engines, config } = offering('instant', offer.engine, offer.limiter);
  keys = createKeys();
  accounts = createAccounts({
    keys: [KEY],
    stored: { database: keys.database, prices: await loadPrices() },
    log: createLog('silent'),
    clock,
  });
  realtime = serveRealtime(server, {
    engines,
    config,
    log: createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    accounts: { find: (header) => (find ? find(header) : accounts.find(header)) },
    spools: createSpools(SPOOL_LIMITS),
    clock,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  const closed = once(server, 'close');
  server.close();
  await realtime.close();
  await closed;
  await accounts[Symbol.asyncDispose]();
});

describe('the WebSocket paths', () => {
  it('are refused by HTTP without a known key, and where there is nothing', async () => {
    for (const key of [null, 'svck:unknown'])
      expect(await refusalOf(dial(url, PATHS.realtimeRecognition, key))).toMatchObject({
        status: 401,
        code: 104,
        name: 'ErrAuthenticationFailed',
      });
    expect(await refusalOf(dial(url, '/ws/other'))).toMatchObject({ status: 404 });
  });

  it('take no key from an address, so that none gets into a browser', async () => {
    const address = `${url.replace('http', 'ws')}${PATHS.realtimeRecognition}?key=${KEY}`;
    const browser = new WebSocket(address, [KEY.replace(':', '-')]);
    const failed = Promise.withResolvers<void>();
    browser.addEventListener('error', () => failed.resolve());
    await failed.promise;
    expect(realtime.sessions).toBe(0);
  });

  it('recognise what is sent to them', async () => {
    const socket = dial(url, PATHS.realtimeRecognition);
    const messages = messagesOf(socket);
    await once(socket, 'open');
    const audio = joined(soundOf([1, 2]), silenceOf(1)).toString('base64');
    socket.send(JSON.stringify({ type: 'input_audio.append', audio }));
    socket.send(JSON.stringify({ type: 'session.close' }));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1000);
    expect(messages.map(({ type }) => type)).toEqual([
      'session.created',
      'speech_started',
      'speech_stopped',
      'asr.final_result',
      'session.usage',
    ]);
    expect(messages[3]).toMatchObject({ text: 'w1 w2' });
  });

  it('compress nothing, whatever a client offers', async () => {
    for (const path of [PATHS.realtimeRecognition, PATHS.realtimeSpeech]) {
      const socket = dial(url, path);
      const [reply] = (await once(socket, 'upgrade')) as [IncomingMessage];
      expect(reply.headers['sec-websocket-extensions']).toBeUndefined();
      socket.terminate();
    }
  });

  it('say what is wrong with a message that is too large, and with a huge one by its code', async () => {
    const socket = dial(url, PATHS.realtimeRecognition);
    const messages = messagesOf(socket);
    await once(socket, 'open');
    socket.send('x'.repeat(300_000));
    expect((await once(socket, 'close'))[0]).toBe(1009);
    expect(messages.at(-1)).toMatchObject({
      type: 'error',
      code: 'ErrRequestTooLarge',
      fatal: true,
    });
    const other = dial(url, PATHS.realtimeRecognition);
    await once(other, 'open');
    other.send(Buffer.alloc(3_000_000));
    expect((await once(other, 'close'))[0]).toBe(1009);
  });

  it('say that binary frames are not for them', async () => {
    const socket = dial(url, PATHS.realtimeRecognition);
    const messages = messagesOf(socket);
    await once(socket, 'open');
    socket.send(Buffer.alloc(3_200));
    await eventually(() => expect(messages.at(-1)).toMatchObject({ code: 'ErrInvalidRequest' }));
    socket.terminate();
  });

  it.each([
    ['is revoked', ['revoke', 'ada'], 'ErrAuthenticationFailed'],
    ['loses its access', ['change', 'ada', '--access', 'speech'], 'ErrAccessDenied'],
    ['has no more credit', ['change', 'ada', '--credit', '0'], 'ErrCreditUsedUp'],
  ])('end a session within two seconds when its key %s', async (_, words, code) => {
    const socket = dial(url, PATHS.realtimeRecognition, keys.create('ada'));
    const messages = messagesOf(socket);
    await once(socket, 'open');
    await clock.advance(10_000);
    expect(socket.readyState).toBe(socket.OPEN);
    keys.run(...words);
    const closed = once(socket, 'close');
    await clock.advance(2_000);
    expect((await closed)[0]).toBe(1008);
    expect(messages.at(-1)).toMatchObject({ type: 'error', code, fatal: true });
  });

  it('leave a line for each connection and refusal, with an id and the name of the key', async () => {
    const headers = { authorization: `Bearer ${keys.create('ada')}`, 'x-request-id': 'mine-7' };
    const path = PATHS.realtimeRecognition;
    const socket = new WsSocket(`${url.replace('http', 'ws')}${path}?q=private`, { headers });
    const opened = once(socket, 'open');
    const [response] = (await once(socket, 'upgrade')) as [IncomingMessage];
    await opened;
    expect(response.headers['x-request-id']).toBe('mine-7');
    await clock.advance(2_500);
    socket.close(1000);
    await eventually(() => expect(lines).toHaveLength(2));
    const { requestId } = await refusalOf(dial(url, '/ws/svck:secret'));
    await refusalOf(dial(url, path, 'svck:unknown'));
    const request = { level: 30, msg: 'request', method: 'GET' };
    const by = expect.stringMatching(/^[\da-f]{8}$/) as string;
    expect(lines).toMatchObject([
      { ...request, requestId: 'mine-7', path, status: 101, by: 'ada' },
      { level: 30, msg: 'a session ended', requestId: 'mine-7', code: 1000, ms: 2_500 },
      { ...request, requestId, path: '/ws/…', status: 404, by },
      { ...request, path, status: 401 },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/private|secret|unknown/);
  });

  it('warn of what fails before the upgrade', async () => {
    find = () => {
      throw new Error('the disk is gone');
    };
    const { requestId, status } = await refusalOf(dial(url, PATHS.realtimeRecognition));
    expect(status).toBe(500);
    expect(lines).toMatchObject([
      { level: 40, msg: 'a request failed', requestId, status: 500 },
      { level: 30, msg: 'request', requestId, status: 500 },
    ]);
  });

  it('refuse what is no handshake in the words of the service', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    socket.write(
      `GET ${PATHS.realtimeSpeech} HTTP/1.1\r\nHost: x\r\n${upgrade}Authorization: Bearer ${KEY}\r\n\r\n`,
    );
    const reply = await text(socket);
    expect(reply).toContain('HTTP/1.1 400');
    expect(reply).toContain('ErrInvalidRequest');
    expect(lines).toMatchObject([{ msg: 'request', status: 400 }]);
  });

  it('warn once while a key cannot be checked, and keep the session', async () => {
    let isBroken = false;
    find = (header) => {
      const account = accounts.find(header);
      return {
        ...account,
        checkOpen: (access) => {
          if (isBroken) throw new Error('the disk is gone');
          account.checkOpen(access);
        },
      };
    };
    const socket = dial(url, PATHS.realtimeSpeech, keys.create('ada'));
    await once(socket, 'open');
    isBroken = true;
    await clock.advance(10_000);
    isBroken = false;
    await clock.advance(2_000);
    isBroken = true;
    await clock.advance(10_000);
    expect(socket.readyState).toBe(socket.OPEN);
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([
      { msg: 'a key cannot be checked', requestId: lines[0]!['requestId'] },
      { msg: 'a key cannot be checked' },
    ]);
    socket.terminate();
  });

  it('close a session that sends nothing for a minute, and not one that does', async () => {
    const socket = dial(url, PATHS.realtimeRecognition);
    const messages = messagesOf(socket);
    await once(socket, 'open');
    await clock.advance(59_000);
    socket.send(JSON.stringify({ type: 'session.update', session: { language: 'en' } }));
    socket.ping();
    await once(socket, 'pong');
    await clock.advance(59_000);
    expect(socket.readyState).toBe(socket.OPEN);
    const closed = once(socket, 'close');
    await clock.advance(1_000);
    expect((await closed)[0]).toBe(1001);
    expect(messages.at(-1)).toMatchObject({ type: 'error', fatal: true });
  });

  it('take no more sessions than they have room for, and half of them with one key', async () => {
    const dialAll = async (key: string): Promise<WsSocket[]> => {
      const dialled = Array.from({ length: 32 }, () => dial(url, PATHS.realtimeRecognition, key));
      await Promise.all(dialled.map(async (socket) => once(socket, 'open')));
      return dialled;
    };
    const sockets = await dialAll(KEY);
    const other = keys.create('ada');
    expect(await refusalOf(dial(url, PATHS.realtimeSpeech))).toMatchObject({
      status: 429,
      error: 'Too many requests: too many sessions of this key are open. Retry after 1s',
    });
    sockets.push(...(await dialAll(other)));
    const third = keys.create('eve');
    expect(await refusalOf(dial(url, PATHS.realtimeRecognition, third))).toMatchObject({
      status: 429,
      error: 'Too many requests: too many sessions are open. Retry after 1s',
    });
    sockets[0]!.terminate();
    await eventually(() => expect(realtime.sessions).toBe(63));
    const next = dial(url, PATHS.realtimeRecognition);
    await once(next, 'open');
    for (const socket of [...sockets, next]) socket.terminate();
  });

  it('leave no session, socket or timer behind, however clients leave', async () => {
    const audio = joined(soundOf([1, 2])).toString('base64');
    for (let round = 0; round < 200; round += 1) {
      const socket = dial(url, PATHS.realtimeRecognition);
      socket.on('error', () => undefined);
      if (round % 4 === 0) {
        setImmediate(() => socket.terminate());
        continue;
      }
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'input_audio.append', audio }));
      if (round % 4 === 1) socket.send(JSON.stringify({ type: 'session.close' }));
      if (round % 4 === 2) socket.terminate();
      if (round % 4 === 3) socket.close();
    }
    await eventually(async () => {
      const connections = await new Promise<number>((resolve) => {
        server.getConnections((_, count) => resolve(count));
      });
      expect([realtime.sessions, connections, clock.waiting]).toEqual([0, 0, 0]);
    });
  });

  it('end all sessions when the service stops', async () => {
    const socket = dial(url, PATHS.realtimeRecognition);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await realtime.close();
    expect((await closed)[0]).toBe(1001);
    expect(await refusalOf(dial(url, PATHS.realtimeRecognition))).toMatchObject({ status: 502 });
  });
});

describe('the whole service', () => {
  it('names the missing engine before the upgrade, and tells others what the path is for', async () => {
    await using service = await startTestService();
    const socket = dial(service.service.url, PATHS.realtimeRecognition);
    const refusal = await refusalOf(socket);
    expect(refusal).toMatchObject({ status: 404, name: 'ErrServiceNotRegistered' });
    expect(refusal.error).toContain('npm run setup');
    const reply = await service.request(PATHS.realtimeRecognition);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: 'Connect here with a WebSocket.' });
  });

  it('passes over offers of HTTP/2', async () => {
    await using service = await startTestService();
    const request = httpRequest(`${service.service.url}${PATHS.voices}`, {
      headers: {
        authorization: `Bearer ${KEY}`,
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
      },
    });
    request.end();
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
    await once(response, 'end');
  });

  it('survives upgrades that are cut, or are none', async () => {
    await using service = await startTestService();
    const { hostname, port } = new URL(service.service.url);
    const head = `GET ${PATHS.realtimeRecognition} HTTP/1.1\r\nHost: x\r\n`;
    const hello = `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n`;
    for (const bytes of [`${hello}\r\n`, `${hello}Authorization: Bearer ${KEY}\r\n\r\n`, hello]) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
    expect((await service.request(PATHS.voices)).status).toBe(200);
  });

  it('stops with sessions open', async () => {
    const service = await startTestService();
    const socket = dial(service.service.url, PATHS.realtimeSpeech);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await service[Symbol.asyncDispose]();
    expect((await closed)[0]).toBe(1001);
  });
});
