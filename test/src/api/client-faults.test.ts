import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../../src/api/client.ts';
import { PATHS } from '../../../src/api/contract.ts';
import type { ServiceError } from '../../../src/api/service-error.ts';
import { say } from '../../../src/i18n/texts.ts';
import { markdownOf, rich } from '../../fakes/rich-text.ts';
import { VOICE } from '../../fakes/speech.ts';
import { freshClient, statesOf } from './client-support.ts';
import { ASKER } from '../../fakes/asker.ts';
import { realTexts } from '../../fakes/texts.ts';

const { fake, client, slept } = freshClient();
const signal = new AbortController().signal;

describe('a service that misbehaves', () => {
  const voices = async () => client.voices({ ...ASKER, signal, deadlineMs: 60_000 });

  it('and is busy is waited for as long as it says, in the header or in the text', async () => {
    const body = JSON.stringify({
      context: ['limiter'],
      code: 7,
      name: 'ErrRateLimit',
      error: 'Too many requests. Retry after 1.72s',
    });
    fake.fail(
      PATHS.voices,
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 429, body },
    );
    await voices();
    expect(slept).toEqual([2_000, 1_720]);
  });

  it('and fails or hangs up is tried again', async () => {
    fake.fail(PATHS.voices, { status: 500 }, { reset: true }, { status: 502 });
    expect(await voices()).toEqual([VOICE]);
  });

  it('and keeps failing is told as unavailable', async () => {
    fake.fail(PATHS.voices, ...Array.from({ length: 4 }, () => ({ status: 500 })));
    await expect(voices()).rejects.toMatchObject({ code: 'unavailable', status: 500 });
  });

  it('and hangs is given up at the deadline', async () => {
    fake.fail(PATHS.voices, { hang: true });
    await expect(client.voices({ ...ASKER, signal, deadlineMs: 60 })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('is left at once when the asker is gone', async () => {
    fake.fail(PATHS.voices, { hang: true });
    const asker = new AbortController();
    const call = client.voices({ ...ASKER, signal: asker.signal });
    asker.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('and answers a page of HTML is not believed', async () => {
    fake.fail(PATHS.voices, {
      status: 200,
      body: '<html>Welcome</html>',
      headers: { 'content-type': 'text/html' },
    });
    await expect(voices()).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it.each([
    ['no JSON', 'oops'],
    ['the wrong types', JSON.stringify({ voices: [{ ...VOICE, formats: 'mp3' }] })],
    ['nothing of what it should', '{}'],
  ])('and answers with %s is told as a bad reply', async (_, body) => {
    fake.fail(PATHS.voices, { status: 200, body });
    await expect(voices()).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('and answers without end is not read to it', async () => {
    const body = `{"voices":[]}${' '.repeat(17 * 1_048_576)}`;
    fake.fail(PATHS.voices, { status: 200, body });
    await expect(voices()).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('keeps its error object whole, and shows its message', async () => {
    const body = {
      context: ['router', 'tts'],
      code: 12,
      name: 'ErrTextTooLong',
      error: 'Too long for ops@example.org at http://10.0.0.7:8000/v1',
    };
    fake.fail(PATHS.voices, { status: 400, body: JSON.stringify(body) });
    const error = await voices().catch((thrown: unknown) => thrown as ServiceError);
    expect(error).toMatchObject({
      code: 'bad-input',
      body,
      sentence: { key: 'service.refused', params: { detail: 'Too long for … at …' } },
    });
  });

  it('and does not know the key says so to the operator', async () => {
    await using stranger = createServiceClient({ baseUrl: fake.url, key: 'svck:wrong' });
    await expect(stranger.voices({ ...ASKER, signal })).rejects.toMatchObject({
      code: 'config',
      sentence: { key: 'service.bad-key' },
      remedy: { key: 'remedies.check', params: { name: 'SPEECH_API_KEY' } },
    });
  });

  it.each([
    [302, 'config'],
    [402, 'forbidden'],
    [404, 'missing'],
    [413, 'too-large'],
  ])('and answers %i is told as %s, without another try', async (status, code) => {
    fake.fail(PATHS.voices, { status });
    await expect(voices()).rejects.toMatchObject({ code, status });
    expect(fake.seen).toHaveLength(1);
  });

  it.each([
    [400, 'too-large'],
    [413, 'too-large'],
    [422, 'too-large'],
    [402, 'forbidden'],
    [404, 'missing'],
  ])('and answers %i with words of too many tokens is told as %s', async (status, code) => {
    const message = 'This exceeds the tokens that are left.';
    fake.fail(PATHS.voices, { status, body: JSON.stringify({ error: { message } }) });
    await expect(voices()).rejects.toMatchObject({ code, status });
  });

  it.each([408, 425])('and answers %i is tried again', async (status) => {
    fake.fail(PATHS.voices, { status });
    expect(await voices()).toEqual([VOICE]);
  });

  it('and fails is not tried again for those who know another way', async () => {
    fake.fail(PATHS.voices, { status: 429 }, { reset: true }, { status: 500 });
    await expect(client.voices({ ...ASKER, signal, hasFallback: true })).rejects.toMatchObject({
      status: 500,
    });
    expect(fake.seen).toHaveLength(3);
  });

  it('and writes markup into its message cannot make us show it', async () => {
    const body = { context: [], code: 1, name: 'Err', error: '**[here](/evil)**\nmore' };
    fake.fail(PATHS.voices, { status: 400, body: JSON.stringify(body) });
    const error = await voices().catch((thrown: unknown) => thrown as ServiceError);
    const { params = {} } = (error as ServiceError).sentence;
    const shown = say(realTexts.rich('en'), { key: 'remedies.detail', params });
    expect(markdownOf(shown)).toContain(String.raw`\*\*\[here](/evil)\*\* more`);
    expect(rich(markdownOf(shown))).toEqual(shown);
  });

  const failing = (object: unknown) => ({
    status: 200,
    body: `data: ${JSON.stringify(object)}\n\n`,
    headers: { 'content-type': 'text/event-stream' },
  });
  const chat = () =>
    client.chatStream(
      { messages: [{ role: 'user', content: 'a' }] },
      { ...ASKER, signal, deadlineMs: 60_000 },
    );

  it.each([
    { context: ['router'], code: 9, name: 'ErrBackend', error: 'the engine died' },
    { error: { message: 'the engine died', type: 'server_error', code: null } },
    { error: 'the engine died' },
  ])('and fails in the middle of a stream is asked again: %j', async (object) => {
    fake.fail(PATHS.chat, failing(object));
    expect((await statesOf(chat())).result).not.toBe('');
    fake.fail(PATHS.chat, ...Array.from({ length: 4 }, () => failing(object)));
    await expect(chat().next()).rejects.toMatchObject({
      code: 'unavailable',
      sentence: { params: { detail: 'the engine died' } },
    });
  });

  it.each([
    [{ context: [], code: 9, name: 'ErrInvalidParameter', error: 'no' }, 'bad-input'],
    [{ error: { message: 'no', type: 'invalid_request_error' } }, 'bad-input'],
    [{ error: { message: 'no', code: 402 } }, 'forbidden'],
    [{ error: { message: 'no', code: 'insufficient_quota' } }, 'forbidden'],
  ])('and refuses in the middle of a stream is not asked again: %j', async (object, code) => {
    fake.fail(PATHS.chat, failing(object));
    await expect(chat().next()).rejects.toMatchObject({ code });
    expect(fake.seen).toHaveLength(1);
  });

  it('and has too much to do in the middle of a stream is asked again as late as it says', async () => {
    const error = { message: 'Too many requests. Retry after 1.5s', code: 'rate_limit_exceeded' };
    fake.fail(PATHS.chat, failing({ error }));
    await statesOf(chat());
    expect(slept).toEqual([1_500]);
  });

  it('and is not there is told as unavailable', async () => {
    await using nowhere = createServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      key: 'svck:x',
      retry: { sleep: async () => {} },
    });
    await expect(nowhere.voices({ ...ASKER, signal })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
