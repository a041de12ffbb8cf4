import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket as WsSocket } from 'ws';
import { PATHS } from '../../../src/api/contract.ts';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { makeWav } from '../support.ts';
import { createKeys, startWithKeys, voiceOf } from './support.ts';
import { fresh, shared } from '../../fakes/opened.ts';

/** Name of the only key. */
const OWNER = 'ada';

const openai = shared(() => startFakeOpenai({ speech: { pcm: Buffer.alloc(24_000) } }));
const keys = fresh(() => createKeys());
const service = fresh(() => startWithKeys(keys, { SERVICE_OPENAI_URL: openai.url }));

const refusalOf = async (socket: WsSocket): Promise<number> => {
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number; resume(): void },
  ];
  response.resume();
  return response.statusCode;
};

const dial = (path: string, key: string): WsSocket =>
  new WsSocket(`${service.service.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });

describe('the WebSocket paths', () => {
  it.each([
    [PATHS.realtimeRecognition, 'recognition,speech', 'realtime-recognition'],
    [PATHS.realtimeSpeech, 'recognition,realtime-recognition', 'speech:openai'],
  ])('%s needs access of its own, or is refused before the upgrade', async (path, others, own) => {
    const key = keys.create(OWNER, '--access', others);
    expect(await refusalOf(dial(path, key))).toBe(403);
    keys.run('change', OWNER, '--access', own);
    const socket = dial(path, key);
    await once(socket, 'open');
    socket.terminate();
    keys.run('change', OWNER, '--credit', '0');
    expect(await refusalOf(dial(path, key))).toBe(429);
  });

  it('charge each utterance that is recognised', async () => {
    const socket = dial(PATHS.realtimeRecognition, keys.create(OWNER));
    await once(socket, 'open');
    const audio = makeWav(4, [[0.5, 2.5]]).subarray(44);
    socket.send(JSON.stringify({ type: 'input_audio.append', audio: audio.toString('base64') }));
    socket.send(JSON.stringify({ type: 'session.close' }));
    expect((await once(socket, 'close'))[0]).toBe(1000);
    await expect.poll(() => keys.spentBy(OWNER)).toBeGreaterThan(1.5 * 100_000);
    expect(keys.spentBy(OWNER)).toBeLessThan(4 * 100_000);
  });

  it('charge a text that is spoken, and refuse a voice that the key may not use', async () => {
    const key = keys.create(OWNER, '--access', 'speech:openai');
    const socket = dial(PATHS.realtimeSpeech, key);
    const messages: { type: string; code?: string }[] = [];
    const done = Promise.withResolvers<void>();
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return;
      const message = JSON.parse(String(data)) as { type: string };
      messages.push(message);
      if (message.type === 'tts.usage') done.resolve();
    });
    await once(socket, 'open');
    for (const engine of ['eSpeak NG', 'alloy'] as const) {
      const session = { voice_id: await voiceOf(service, engine), format: 'pcm' };
      socket.send(JSON.stringify({ type: 'session.update', session }));
      await expect.poll(() => messages.at(-1)?.type).toMatch(/error|session\.updated/);
    }
    socket.send(JSON.stringify({ type: 'tts.speak', text: 'One. Two three.' }));
    await done.promise;
    socket.terminate();
    expect(messages.find(({ type }) => type === 'error')).toMatchObject({
      code: 'ErrAccessDenied',
    });
    await expect.poll(() => keys.spentBy(OWNER)).toBe(15 * 15_000);
  });
});
