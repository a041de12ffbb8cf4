import { expect, test } from 'vitest';
import type { Api } from '../../../adapters/slack/api.ts';
import { createFiles } from '../../../adapters/slack/files.ts';
import { serve } from '../../fakes/serve.ts';

const SPACE = { platform: 'slack', id: 'T1' };

/** Reads a file that Slack describes; `tokens` counts how often a token was asked for. */
const reading = (apiUrl: string | undefined, url: string, size = 10) => {
  const state = { tokens: 0 };
  const tokenOf = async (): Promise<string> => {
    state.tokens += 1;
    return 'xoxb-secret';
  };
  const file = createFiles({} as Api, { tokenOf }, apiUrl).open(SPACE, {
    id: 'F1',
    size,
    mimetype: 'audio/ogg',
    url_private: url,
  });
  if (!file) throw new Error('there is no file');
  return { state, bytes: Array.fromAsync(file.open()) };
};

test.each([
  'http://127.0.0.1/secret',
  'http://files.slack.com/a',
  'https://files.slack.com.evil.example/a',
  'https://notfiles.slack.com/a',
  'https://files.slack.com:8443/a',
  'https://user@files.slack.com/a',
  'https://evil.example/files.slack.com',
  'file:///etc/passwd',
  'nonsense',
])('nothing is fetched from %s, and no token is read for it', async (url) => {
  const { state, bytes } = reading(undefined, url);
  await expect(bytes).rejects.toMatchObject({ code: 'forbidden' });
  expect(state.tokens).toBe(0);
});

test('the token goes with a file’s request', async () => {
  const tokens: (string | undefined)[] = [];
  await using server = await serve((request, response) => {
    tokens.push(request.headers.authorization);
    response.end('sound');
  });
  const [bytes] = await reading(`${server.url}/api/`, `${server.url}/a`).bytes;
  expect(Buffer.from(bytes ?? []).toString()).toBe('sound');
  expect(tokens).toEqual(['Bearer xoxb-secret']);
});

test('a redirect to another server is not followed, so that it gets no token', async () => {
  await using other = await serve((_, response) => void response.end('sound'));
  await using server = await serve((_, response) => {
    response.writeHead(302, { location: `${other.url}/a` }).end();
  });
  const { bytes } = reading(`${server.url}/api/`, `${server.url}/a`);
  await expect(bytes).rejects.toMatchObject({ name: 'AppError' });
  expect([server.asked, other.asked]).toEqual([['/a'], []]);
});

test('no more is read than Slack says there is', async () => {
  await using server = await serve((_, response) => void response.end(Buffer.alloc(1_000)));
  const { bytes } = reading(`${server.url}/api/`, `${server.url}/a`, 999);
  await expect(bytes).rejects.toMatchObject({ code: 'too-large' });
});

test('a file’s name comes without direction and control characters', () => {
  const tokenOf = async (): Promise<string> => 'xoxb-secret';
  const file = createFiles({} as Api, { tokenOf }, undefined).open(SPACE, {
    id: 'F1',
    name: 'evil\u202Egpj.ogg',
    url_private: 'https://files.slack.com/a',
  });
  expect(file?.name).toBe('evil gpj.ogg');
});
