import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ASKER } from '../../../fakes/asker.ts';
import { WebSocketServer } from 'ws';
import { createServiceKey } from '../../../../src/api/keys.ts';
import { createRecognitionSessions } from '../../../../src/api/realtime/recognition-session.ts';
import { createSocketOpener } from '../../../../src/api/realtime/socket.ts';
import type { AppError } from '../../../../src/errors.ts';
import { patientClock } from '../../../fakes/clock.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { pcmOf } from '../../../fakes/realtime-recognition.ts';
import { startSpeechFake } from '../../../fakes/speech.ts';
import { fresh } from '../../../fakes/opened.ts';
import { listen, serve } from '../../../fakes/serve.ts';

const fake = fresh(() => startSpeechFake());

const open = (key = fake.key) => {
  const failures: AppError[] = [];
  const session = createRecognitionSessions({
    openSocket: createSocketOpener(fake.url, createServiceKey(key)),
    clock: patientClock,
    random: () => 0,
  })({ asker: ASKER, changed: () => undefined, failed: (error) => void failures.push(error) });
  return { session, failures };
};

const opening = async (url: string): Promise<AppError | undefined> => {
  const ended = Promise.withResolvers<AppError | undefined>();
  createSocketOpener(url, createServiceKey('svck:any'))('/ws/asr/realtime', {
    opened: () => undefined,
    message: () => undefined,
    closed: ended.resolve,
  });
  return ended.promise;
};

describe('a socket of the service', () => {
  it('carries a session whose connection breaks again and again', async () => {
    fake.realtime.recognition.push({ cutAfterMs: 300 }, { cutAfterMs: 500 }, { cutAfterMs: 700 });
    const { session } = open();
    for (const word of ['we', 'meet', 'at', 'nine', '']) session.append(pcmOf(word));
    expect((await session.finish()).text).toBe('we meet at nine');
    expect(fake.realtime.opened).toBe(4);
    await eventually(() => expect(fake.realtime.open).toBe(0));
  });

  it('tells why the service refuses it', async () => {
    const { failures } = open('svck:another');
    await eventually(() => expect(failures).toMatchObject([{ code: 'config', status: 401 }]));
    fake.realtime.recognition.push({ refuse: 403 });
    const other = open();
    await eventually(() => expect(other.failures).toMatchObject([{ code: 'forbidden' }]));
  });

  it('tells that nobody listens at the address', async () => {
    expect(await opening('http://127.0.0.1:1')).toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  });

  it.each([
    [1000, undefined, undefined],
    [1001, 'unavailable', true],
    [1008, 'bad-reply', false],
    [1011, 'unavailable', true],
    [1013, 'unavailable', true],
    [4403, 'bad-reply', false],
  ])(
    'tells by the close code %i whether another connection may serve',
    async (code, kind, again) => {
      const server = createServer();
      const sockets = new WebSocketServer({ server });
      sockets.on('connection', (socket) => socket.close(code));
      await using listening = await listen(server);
      const error = await opening(listening.url);
      expect([error?.code, error?.retryable]).toEqual([kind, again]);
    },
  );

  it('offers no compression, in which a small message could be a huge one', async () => {
    const server = createServer();
    const sockets = new WebSocketServer({ server, perMessageDeflate: true });
    const offered = Promise.withResolvers<IncomingMessage['headers']>();
    sockets.on('connection', (socket, { headers }) => {
      offered.resolve(headers);
      socket.close(1000);
    });
    await using listening = await listen(server);
    await opening(listening.url);
    expect(await offered.promise).not.toHaveProperty('sec-websocket-extensions');
  });

  it('leaves no socket and no timer behind, however sessions end', async () => {
    const counts = (): Record<string, number> => {
      const kinds = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
      return Object.fromEntries(
        ['TCPSocketWrap', 'Timeout'].map((kind) => [kind, kinds[kind]?.length ?? 0]),
      );
    };
    const before = counts();
    for (let round = 0; round < 100; round += 1) {
      if (round % 5 === 0) fake.realtime.recognition.push({ cutAfterMs: 200 });
      if (round % 5 === 1) fake.realtime.recognition.push({ refuse: 403 });
      const { session } = open();
      session.append(pcmOf('we'));
      if (round % 5 === 2) session.abort();
      else if (round % 5 === 3) {
        await eventually(() => expect(fake.realtime.open).toBeGreaterThan(0));
        session.abort();
      } else await session.finish().catch(() => undefined);
    }
    await eventually(() => expect(fake.realtime.open).toBe(0));
    await eventually(() => {
      const after = counts();
      for (const [kind, count] of Object.entries(before))
        expect(after[kind], kind).toBeLessThanOrEqual(count + 1);
    });
  });

  it('does not take a page for a service, nor follow it elsewhere', async () => {
    for (const [status, code] of [
      [200, 'config'],
      [302, 'config'],
    ] as const) {
      await using server = await serve((_, response) => {
        response.writeHead(status, { location: fake.url });
        response.end('<html>');
      });
      const error = await opening(server.url);
      expect(error?.code).toBe(code);
    }
    expect(fake.realtime.opened).toBe(0);
  });
});
