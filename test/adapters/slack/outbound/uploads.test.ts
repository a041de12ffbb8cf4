import { expect, test } from 'vitest';
import type { Api } from '../../../../adapters/slack/api.ts';
import { createUploads } from '../../../../adapters/slack/outbound/uploads.ts';
import { serve } from '../../../fakes/serve.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const FILE = { name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('private') };

const uploadTo = async (address: string, apiUrl: string | undefined): Promise<string> => {
  const call = async () => ({ upload_url: address, file_id: 'F1' });
  return createUploads({ call } as unknown as Api, { apiUrl }).keep(SPACE, FILE);
};

test.each([
  'http://files.slack.com/upload/v1/a',
  'https://files.slack.com:8443/upload/v1/a',
  'https://files.slack.com.evil.example/upload/v1/a',
  'https://user@files.slack.com/upload/v1/a',
])('no file goes to %s', async (address) => {
  await expect(uploadTo(address, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    retryable: false,
  });
});

test('a file goes to the server that stands for Slack, and is led on nowhere', async () => {
  await using inside = await serve((_, response) => void response.end());
  await using own = await serve((_, response) => void response.end());
  await expect(uploadTo(`${inside.url}/a`, `${own.url}/api/`)).rejects.toThrow('foreign');
  expect(await uploadTo(`${own.url}/b`, `${own.url}/api/`)).toBe('F1');
  await using leading = await serve((_, response) => {
    response.writeHead(307, { location: `${inside.url}/c` }).end();
  });
  await expect(uploadTo(`${leading.url}/d`, leading.url)).rejects.toThrow('307');
  expect([own.asked, inside.asked]).toEqual([['/b'], []]);
});
