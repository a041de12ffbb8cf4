import { mkdtempSync, readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Attachment } from '../../../src/model/message.ts';
import { SPEECH } from '../../fakes/core.ts';
import { startWeb, type Visitor } from './start-web.ts';
import { sentence } from '../../fakes/sentences.ts';

const use = (
  visitor: Visitor,
  command: string,
  options: Record<string, unknown> = {},
  files: Record<string, string> = {},
) => visitor.post('/api/uses', { channel: 'playground', command, options, files });

describe('a command', () => {
  test('is shown with its options, and answered beneath', async () => {
    const visitor = (await startWeb()).visit();
    const events = await visitor.events();
    await use(visitor, 'translate', { text: 'a <b> fox', to: 'es' });
    const asked = await events.message(({ use: shown }) => shown !== undefined);
    expect(asked.use).toEqual({
      command: 'translate',
      options: [
        { name: 'text', value: 'a <b> fox' },
        { name: 'to', value: 'es' },
      ],
    });
    const answer = await events.message(({ working, html }) => !working && html !== '');
    expect(answer).toMatchObject({ replyTo: asked.id, author: { ours: true } });
    expect(answer.html).toBe('<p><strong>es</strong>: a &lt;b&gt; fox</p>');
  });

  test('gives the core what the person gave', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit('ja-JP');
    const events = await visitor.events();
    await use(visitor, 'repeat', { times: 3, loud: true });
    await events.message(({ working, replyTo }) => replyTo !== undefined && !working);
    expect(core.invocations[0]).toMatchObject({
      command: 'repeat',
      options: { times: 3, loud: true },
      member: { platform: 'web', locale: 'ja-JP', role: 'moderator' },
      channel: { space: { platform: 'web' }, id: 'playground' },
    });
  });

  test('grows before the eyes of everybody', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit();
    const watching = await visit().events();
    await use(visitor, 'ask', { question: 'What?' });
    await watching.message(({ html, working }) => html === '<p>One</p>' && working);
    core.step();
    await watching.message(({ html, working }) => html === '<p>One two</p>' && working);
    core.step();
    const last = await watching.message(({ working, html }) => !working && html !== '');
    expect(last.html).toBe('<p>One two <strong>three</strong></p>');
  });

  test('is stopped by who asked, and by nobody else', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit();
    const events = await visitor.events();
    await use(visitor, 'wait');
    const { id } = await events.message(({ working }) => working);
    expect(await (await visit().post('/api/stop', { id })).json()).toEqual({ stopped: false });
    expect(core.invocations[0]?.signal.aborted).toBe(false);
    expect(await (await visitor.post('/api/stop', { id })).json()).toEqual({ stopped: true });
    const last = await events.message(({ working, html }) => !working && html !== '');
    expect(last).toMatchObject({ tone: 'error', html: `<p>${sentence('errors.cancelled')}</p>` });
  });

  test('is given up when the one who asked is gone', async () => {
    const { core, visit } = await startWeb({ graceMs: 1 });
    const visitor = visit();
    const events = await visitor.events();
    await use(visitor, 'wait');
    await events.message(({ html }) => html.includes('Working'));
    const { signal } = core.invocations[0]!;
    const gone = new Promise((resolve) => signal.addEventListener('abort', resolve));
    events.close();
    await gone;
  });

  test('of private answer is seen by the asker alone', async () => {
    const { visit } = await startWeb();
    const visitor = visit();
    const own = await visitor.events();
    const other = await visit().events();
    await use(visitor, 'secret');
    const answer = await own.message(({ html }) => html.includes('alone'));
    expect(answer.onlyYou).toBe(true);
    await visitor.post('/api/lines', { channel: 'playground', text: 'seen by all' });
    const first = await other.message(() => true);
    expect(first.html).toContain('seen by all');
  });

  test('is shown with the options that it has, and by the labels of what was offered there', async () => {
    const visitor = (await startWeb()).visit();
    const events = await visitor.events();
    await visitor.post('/api/complete', { command: 'translate', option: 'to', typed: 'spanish' });
    await use(visitor, 'translate', { unknown: 'x', to: 'es', text: 'es', from: 'es' });
    const { use: shown } = await events.message((message) => message.use !== undefined);
    expect(shown?.options).toEqual([
      { name: 'text', value: 'es' },
      { name: 'to', value: 'Spanish' },
      { name: 'from', value: 'es' },
    ]);
  });

  test('is refused with more options than any command has', async () => {
    const visitor = (await startWeb()).visit();
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`option${index}`, 'x']));
    expect((await use(visitor, 'say', many(25))).status).toBe(202);
    expect((await use(visitor, 'say', many(26))).status).toBe(400);
  });

  test('is refused when too many are on their way', async () => {
    const visitor = (await startWeb()).visit();
    await visitor.events();
    for (let count = 0; count < 6; count += 1)
      expect((await use(visitor, 'wait')).status).toBe(202);
    expect((await use(visitor, 'wait')).status).toBe(429);
  });
});

describe('files', () => {
  const wav = SPEECH;

  test('that people send reach the command, and are gone afterwards', async () => {
    const { core, visit } = await startWeb();
    const visitor = visit();
    const events = await visitor.events();
    const audio = await visitor.upload('memo.wav', wav);
    await use(visitor, 'transcribe', {}, { audio });
    const answer = await events.message(({ working, html }) => !working && html !== '');
    expect(answer.html).toContain(`memo.wav audio/wav: ${wav.byteLength} bytes`);
    expect((await use(visitor, 'transcribe', {}, { audio })).status).toBe(404);
    const attachment = core.invocations[0]!.options['audio'] as Attachment;
    await expect(attachment.open()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('belong to whoever sent them', async () => {
    const { visit } = await startWeb();
    const audio = await visit().upload('memo.wav', wav);
    expect((await use(visit(), 'transcribe', {}, { audio })).status).toBe(404);
  });

  test('that are too large are refused while they come in', async () => {
    const visitor = (await startWeb({ maxUploadBytes: 1_000 })).visit();
    const reply = await visitor.request('/api/uploads?name=x.wav', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: wav,
    });
    expect(reply.status).toBe(413);
  });

  test('that the browser breaks off are no fault of ours, and leave nothing', async () => {
    const temp = mkdtempSync(join(tmpdir(), 'dragoman-test-'));
    vi.stubEnv('TMPDIR', temp);
    onTestFinished(() => void vi.unstubAllEnvs());
    const files = () =>
      readdirSync(temp, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const { core, url } = await startWeb();
    const logged = vi.spyOn(core.log, 'error');
    const upload = httpRequest(new URL('/api/uploads?name=x.wav', url), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
    });
    upload.once('error', () => undefined);
    upload.write(wav);
    await expect.poll(() => files().length).toBe(1);
    upload.destroy();
    await expect.poll(() => files().length).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).not.toHaveBeenCalled();
  });

  test('are taken a few at once of each member', async () => {
    const { visit } = await startWeb();
    const visitor = visit();
    await visitor.request('/');
    const gate = Promise.withResolvers<void>();
    const send = (from: Visitor, body: ReadableStream | Uint8Array<ArrayBuffer>) =>
      from.request('/api/uploads?name=x.wav', {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body,
        duplex: 'half',
      });
    const slow = () =>
      ReadableStream.from(
        (async function* () {
          yield new Uint8Array(10);
          await gate.promise;
        })(),
      );
    const replies = Array.from({ length: 4 }, () => send(visitor, slow()));
    expect((await Promise.race(replies)).status).toBe(429);
    expect((await send(visit(), new Uint8Array(10))).status).toBe(201);
    gate.resolve();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect((await send(visitor, new Uint8Array(10))).status).toBe(201);
  });

  test('of answers can be fetched whole and in parts, never as a page', async () => {
    const visitor = (await startWeb()).visit();
    const events = await visitor.events();
    await use(visitor, 'say', { text: 'Hello' });
    const { files } = await events.message((message) => message.files.length > 0);
    const path = `/files/${files[0]!.id}`;
    const whole = await visitor.request(path);
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(wav);
    expect(whole.headers.get('content-type')).toBe('audio/wav');
    expect(whole.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''speech/,
    );
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    const part = await visitor.request(path, { headers: { range: 'bytes=4-7' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 4-7/${wav.byteLength}`);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(wav.slice(4, 8));
    const beyond = await visitor.request(path, { headers: { range: 'bytes=99999999-' } });
    expect(beyond.status).toBe(416);
    expect((await visitor.request('/files/unknown')).status).toBe(404);
  });
});

describe('a page that comes back', () => {
  test('is told what it missed and no more', async () => {
    const { visit } = await startWeb();
    const visitor = visit();
    await visit().events();
    const before = await visitor.events();
    await visitor.post('/api/lines', { channel: 'playground', text: 'one' });
    await before.message(({ html }) => html.includes('one'));
    before.close();
    await visitor.post('/api/lines', { channel: 'playground', text: 'two' });
    const after = await visitor.events(before.lastId());
    const first = await after.next((event) => (event.type === 'readers' ? undefined : event));
    expect(first).toMatchObject({ type: 'message', message: { html: '<p>two</p>' } });
  });

  test('begins anew with the whole talk otherwise', async () => {
    const { visit } = await startWeb();
    const visitor = visit();
    await visitor.post('/api/lines', { channel: 'playground', text: 'one' });
    const events = await visitor.events('of-another-run.7');
    const snapshot = await events.next((event) =>
      event.type === 'hello' ? event.snapshot : undefined,
    );
    expect(snapshot.messages.map(({ html }) => html)).toEqual(['<p>one</p>']);
  });
});

test('what completes an option, and the languages there are, can be asked for', async () => {
  const visitor = (await startWeb()).visit();
  const reply = await visitor.post('/api/complete', {
    command: 'translate',
    option: 'to',
    typed: 'span',
  });
  expect(await reply.json()).toEqual({ choices: [{ value: 'es', label: 'Spanish' }] });
  const languages = await visitor.request('/api/languages');
  expect(await languages.json()).toMatchObject({
    choices: expect.arrayContaining([{ value: 'ja', label: 'Japanese' }]),
  });
});
