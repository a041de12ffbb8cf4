import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../service/keys/accounts.ts';
import { serveRealtime, type RealtimeServer } from '../../../service/realtime/upgrade.ts';
import { createSpools, SPOOL_LIMITS } from '../../../service/speech/spool.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { instantOffer } from '../realtime/support.ts';
import { KEY, offering } from '../support.ts';

const SOUND = Buffer.from(
  Int16Array.from({ length: 24_000 }, (_, at) => (at % 2 ? 8_000 : 7_000)).buffer,
);
const SILENCE = Buffer.alloc(48_000);

describe('the realtime client of the package `openai`', () => {
  let server: Server;
  let realtime: RealtimeServer;
  let port: number;
  beforeEach(async () => {
    server = createServer();
    const offer = instantOffer(() => ({ text: 'hello there', language: 'en' }));
    const { engines, config } = offering('instant', offer.engine, offer.limiter);
    realtime = serveRealtime(server, {
      engines,
      config,
      log: silentLog,
      accounts: createAccounts({ keys: [KEY], log: silentLog }),
      spools: createSpools(SPOOL_LIMITS),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    const closed = once(server, 'close');
    server.close();
    await realtime.close();
    await closed;
  });

  /** The client wants TLS, which stands in front of the service: here it finds the service itself. */
  const open = (key = KEY): OpenAIRealtimeWS => {
    const client = new OpenAI({
      baseURL: `http://127.0.0.1:${port}/openai/v1`,
      apiKey: key,
    });
    const options = { createConnection: () => connect(port, '127.0.0.1') };
    return new OpenAIRealtimeWS({ intent: 'transcription', options } as never, client);
  };

  it('gets the text of what it sends, and what is wrong', async () => {
    const client = open();
    const completed = Promise.withResolvers<{ transcript: string }>();
    const deltas: string[] = [];
    const errors: string[] = [];
    client.on('error', ({ message }) => errors.push(message));
    client.on('conversation.item.input_audio_transcription.delta', ({ delta = '' }) =>
      deltas.push(delta),
    );
    client.on('conversation.item.input_audio_transcription.completed', completed.resolve);
    await once(client.socket, 'open');
    client.send({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            transcription: { model: 'gpt-4o-transcribe', language: 'en' },
            turn_detection: { type: 'server_vad' },
          },
        },
      },
    });
    client.send({ type: 'response.create' });
    for (const audio of [SOUND, SILENCE])
      client.send({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
    expect((await completed.promise).transcript).toBe('hello there');
    expect(deltas.join('')).toBe('hello there');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('this is a session for transcription');
    const closed = once(client.socket, 'close');
    client.close();
    await closed;
  });

  it('is not let in without a key of the service', async () => {
    const client = open('svck:unknown-0123456789');
    const failed = Promise.withResolvers<Error>();
    client.on('error', failed.resolve);
    expect((await failed.promise).message).toContain('401');
  });
});
