import { expect, test } from 'vitest';
import { createOpenFile } from '../../../adapters/discord/files.ts';
import { serve } from '../../fakes/serve.ts';

/** A server that answers with these statuses, one after the other; 200 has a body. */
const answering = async (...statuses: readonly number[]) => {
  const left = [...statuses];
  const server = await serve((_, response) => {
    response.writeHead(left.shift() ?? 500).end('sound');
  });
  return { ...server, open: createOpenFile(`${server.url}/api`) };
};

test.each(['https://evilcdn.discordapp.com/a', 'https://notmedia.discordapp.net/a'])(
  'a host that only ends like one of Discord’s is none: %s',
  async (url) => {
    const file = createOpenFile(undefined)({ url, sizeBytes: 10 });
    await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ code: 'forbidden' });
  },
);

test.each([403, 404, 410])(
  'an address that is over (%i) is asked for anew, once',
  async (status) => {
    await using server = await answering(status, 200);
    const file = server.open({
      url: `${server.url}/old`,
      sizeBytes: 5,
      renew: async () => `${server.url}/new`,
    });
    expect(Buffer.concat(await Array.fromAsync(file.open())).toString()).toBe('sound');
    expect(server.asked).toEqual(['/old', '/new']);
  },
);

test('the new address is looked at as the old one was', async () => {
  await using server = await answering(404);
  const file = server.open({
    url: `${server.url}/old`,
    sizeBytes: 5,
    renew: async () => 'http://127.0.0.1:1/inside',
  });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ code: 'forbidden' });
});

test.each([
  [404, 'not-found', false],
  [429, 'unavailable', true],
  [503, 'unavailable', true],
  [400, 'unavailable', false],
] as const)('an answer of %i is told as %s', async (status, code, retryable) => {
  await using server = await answering(status, status);
  const file = server.open({
    url: `${server.url}/a`,
    sizeBytes: 5,
    renew: async () => `${server.url}/b`,
  });
  await expect(Array.fromAsync(file.open())).rejects.toMatchObject({ code, retryable });
});
