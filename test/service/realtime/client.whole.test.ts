import { ASKER } from '../../fakes/asker.ts';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../service/keys/accounts.ts';
import { createSpools, SPOOL_LIMITS } from '../../../service/speech/spool.ts';
import { serveRealtime, type RealtimeServer } from '../../../service/realtime/upgrade.ts';
import { createServiceClient } from '../../../src/api/client.ts';
import { createRealtime } from '../../../src/api/realtime/index.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createSpeaker } from '../../../src/speech/speaker.ts';
import { patientClock } from '../../fakes/clock.ts';
import { eventually } from '../../fakes/eventually.ts';
import { bytesOf } from '../../src/api/client-support.ts';
import { KEY, offering, startTestService } from '../support.ts';
import { instantOffer, joined, silenceOf, soundOf } from './support.ts';

const log = createLog('silent');
const requests = {
  speak: async () => {
    throw new Error('a request in place of a connection');
  },
};

describe('the client against the built-in service', () => {
  let server: Server;
  let realtime: RealtimeServer;
  let baseUrl: string;
  const sockets = new Set<{ destroy(): void }>();
  let opened = 0;

  beforeEach(async () => {
    server = createServer();
    server.on('connection', (socket) => {
      opened += 1;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const offer = instantOffer();
    const { engines, config } = offering('instant', offer.engine, offer.limiter);
    realtime = serveRealtime(server, {
      engines,
      config,
      log,
      accounts: createAccounts({ keys: [KEY], log: createLog('silent') }),
      spools: createSpools(SPOOL_LIMITS),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.close();
    await realtime.close();
  });

  const open = async () => {
    const { recognition } = createRealtime({
      baseUrl,
      key: KEY,
      uses: ['recognition'],
      requests,
      log,
      clock: patientClock,
    });
    const { openSession } = await recognition!.of(ASKER.space);
    const session = openSession({
      asker: ASKER,
      language: 'en',
      hotwords: ['Acme'],
      changed: () => undefined,
      failed: (error) => {
        throw error;
      },
    });
    return { session };
  };
  const append = (session: Awaited<ReturnType<typeof open>>['session'], pcm: Buffer): void => {
    for (let at = 0; at < pcm.length; at += 3_200) session.append(pcm.subarray(at, at + 3_200));
  };

  it('recognises a minute of speech over one connection', async () => {
    const { session } = await open();
    const words = Array.from({ length: 100 }, (_, at) => at);
    const speech = words.map((word) =>
      word % 10 === 9 ? [soundOf([word]), silenceOf(1)] : [soundOf([word])],
    );
    append(session, joined(...speech.flat()));
    const { text, language, confidence } = await session.finish();
    expect(text).toBe(words.map((word) => `w${word}`).join(' '));
    expect([language, confidence]).toEqual(['en', 0.9]);
    await eventually(() => expect(realtime.sessions).toBe(0));
  });

  it('loses and doubles no word when connections break three times', async () => {
    const { session } = await open();
    const words = Array.from({ length: 40 }, (_, at) => at);
    for (const word of words) {
      append(session, joined(soundOf([word]), silenceOf(word % 5 === 4 ? 0.8 : 0.1)));
      if (![11, 20, 34].includes(word)) continue;
      await eventually(() => expect(sockets.size).toBe(1));
      const before = opened;
      for (const socket of sockets) socket.destroy();
      await eventually(() => expect(opened).toBe(before + 1));
    }
    expect((await session.finish()).text).toBe(words.map((word) => `w${word}`).join(' '));
  });

  it('speaks through the speaker with a voice of the service, over one connection', async () => {
    await using service = await startTestService();
    const { url } = service.service;
    const client = createServiceClient({ baseUrl: url, key: KEY });
    using spoken = createRealtime({
      baseUrl: url,
      key: KEY,
      uses: ['speech'],
      requests,
      log,
      clock: patientClock,
    });
    const speaker = createSpeaker({ client: { ...client, speak: spoken.speech!.speak } });
    const { signal } = new AbortController();
    for (const text of ['One sentence.', 'Another one.']) {
      const { chunks } = await speaker.speak(
        { ...ASKER, text, language: 'en', formats: ['ogg'] },
        signal,
      );
      expect((await bytesOf(chunks)).subarray(0, 4).toString()).toBe('OggS');
    }
    expect(spoken.speech!.sessions).toBe(1);
    await client[Symbol.asyncDispose]();
  });
});
