import { expect, test } from 'vitest';
import { createOpenFile } from '../../../adapters/discord/files.ts';
import { serve } from '../../fakes/serve.ts';

test.each([
  'http://127.0.0.1/secret',
  'http://cdn.discordapp.com/a',
  'https://cdn.discordapp.com.evil.example/a',
  'https://cdn.discordapp.com:8443/a',
  'https://user@cdn.discordapp.com/a',
  'https://evil.example/cdn.discordapp.com',
  'file:///etc/passwd',
  'nonsense',
])('nothing is fetched from %s', async (url) => {
  const file = createOpenFile(undefined)({ url, sizeBytes: 10 });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ code: 'forbidden' });
});

test('a redirect is not followed', async () => {
  await using server = await serve((request, response) => {
    response.writeHead(302, { location: `http://${request.headers.host}/inside` }).end();
  });
  const file = createOpenFile(`${server.url}/api`)({ url: `${server.url}/a`, sizeBytes: 10 });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ name: 'AppError' });
  expect(server.asked).toEqual(['/a']);
});

test('no more is read than Discord says there is', async () => {
  await using server = await serve((_, response) => void response.end(Buffer.alloc(1_000)));
  const file = createOpenFile(`${server.url}/api`)({ url: `${server.url}/a`, sizeBytes: 999 });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ code: 'too-large' });
});

test('a reader who goes ends the download', async () => {
  await using server = await serve((_, response) => void response.write('begun'));
  const file = createOpenFile(`${server.url}/api`)({ url: `${server.url}/a`, sizeBytes: 100 });
  const abort = new AbortController();
  const read = async (): Promise<void> => {
    for await (const chunk of file.open(abort.signal)) if (chunk.byteLength > 0) abort.abort();
  };
  await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
});

test('a download that breaks off can be tried again', async () => {
  await using server = await serve((request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => request.socket.destroy());
  });
  const file = createOpenFile(`${server.url}/api`)({ url: `${server.url}/a`, sizeBytes: 100 });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
  });
});
