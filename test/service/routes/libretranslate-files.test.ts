import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTranslatedFiles,
  type TranslatedFile,
} from '../../../service/routes/libretranslate-files.ts';
import { translateHtml } from '../../../service/routes/libretranslate.ts';
import type { RouteContext } from '../../../service/route.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { failure, KEY, offering, startTestService, type TestService } from '../support.ts';

let service: TestService;
const logged: string[] = [];
beforeAll(async () => {
  const log = createLog('trace', { write: (line: string) => void logged.push(line) });
  service = await startTestService({}, log);
});
afterAll(async () => service[Symbol.asyncDispose]());

const send = (
  file: File | undefined,
  fields: Record<string, string> = {},
  key: string | null = KEY,
): Promise<Response> => {
  const body = new FormData();
  if (file) body.append('file', file);
  const all = {
    source: 'en',
    target: 'en-XA',
    ...fields,
    ...(key === null ? {} : { api_key: key }),
  };
  for (const [name, value] of Object.entries(all)) body.append(name, value);
  return service.request('/translate_file', { method: 'POST', key: null, body });
};

const addressOf = async (reply: Response): Promise<string> => {
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { translatedFileUrl: string }).translatedFileUrl;
};

/** Translates a file, and fetches the translation without any key. */
const translate = async (
  name: string,
  content: string | Buffer,
  fields: Record<string, string> = {},
): Promise<{ readonly reply: Response; readonly text: string }> => {
  const reply = await fetch(await addressOf(await send(new File([content], name), fields)));
  return { reply, text: await reply.text() };
};

describe('a file that is translated', () => {
  it('is fetched at an address of its own, under its name, as something that no browser opens', async () => {
    const { reply, text } = await translate(
      'my talk.txt',
      'The fox sleeps.\r\n\r\n  Good night.\r\n',
    );
    expect(text).toMatch(/^\[.*ƒööẋ.*\r\n\r\n {2}.*\]\r\n$/u);
    expect(reply.headers.get('content-disposition')).toContain("UTF-8''my%20talk_en-XA.txt");
    expect(reply.headers.get('content-type')).toBe('application/octet-stream');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['a.srt', '1\n00:00:01,000 --> 00:00:02,000\nThe fox\n', '1\n00:00:01,000 --> 00:00:02,000\n['],
    [
      'a.VTT',
      'WEBVTT\n\n00:01.000 --> 00:02.000\nThe fox\n',
      'WEBVTT\n\n00:01.000 --> 00:02.000\n[',
    ],
    ['a.html', '<p class="a">The <b>fox</b></p><script>1</script>', '<p class="a">['],
  ])('may be %s', async (name, content, begins) => {
    const { text } = await translate(name, content);
    expect(text.startsWith(begins)).toBe(true);
    expect(text).not.toContain('fox');
  });

  it('may be long, in UTF-16, and in a language that is found by itself', async () => {
    const long = `${'The quick brown fox sleeps. '.repeat(30)}\n`.repeat(20);
    const { text } = await translate('a.txt', long);
    expect(text.split('\n')).toHaveLength(21);
    const utf16 = Buffer.from('\uFEFFThe quick brown fox sleeps', 'utf16le');
    expect((await translate('a.txt', utf16, { source: 'auto' })).text).toContain('ƒööẋ');
  });

  it('leaves neither its name nor its address in a log', async () => {
    const address = await addressOf(await send(new File(['The fox'], 'divorce.txt')));
    expect(address).not.toContain('divorce');
    await (await fetch(address)).text();
    const lines = (): string => logged.join('');
    await expect.poll(lines).toContain('"path":"/download_file/…"');
    expect(lines()).not.toContain('divorce');
    expect(lines()).not.toContain(address.split('/').at(-1)?.split('.')[0]);
  });

  it('gets no way into a header or an address by its name', async () => {
    const { reply } = await translate('../..\\a"\r\nset-cookie: b=c;.txt', 'The fox');
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(reply.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''[\w%-]+_en-XA\.txt$/u,
    );
  });
});

it('a long passage of a page is translated in parts, in which its tags stay', async () => {
  const asked: string[] = [];
  const context = offering(
    'one',
    {
      translates: () => true,
      async *translate({ text }: { readonly text: string }) {
        asked.push(text);
        yield { text: text.replaceAll('fox', 'zorro'), model: 'one' };
      },
    },
    createRequestLimiter({ concurrent: 1, waiting: 1 }),
  );
  const page = '<p>The <b>fox</b> sleeps. '.concat('The <b>fox</b> sleeps. '.repeat(500), '</p>');
  const made = await translateHtml(page, { from: 'en', to: 'es' }, context as RouteContext);
  expect(made).toBe(page.replaceAll('fox', 'zorro'));
  expect(asked.length).toBeGreaterThan(1);
  expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(4_000);
});

describe('a file that is not translated', () => {
  const fox = new File(['The fox'], 'a.txt');
  it.each<readonly [string, File | undefined, Record<string, string>, number]>([
    ['of another kind', new File(['x'], 'a.docx'), {}, 400],
    ['that is no text', new File([Uint8Array.of(0xc3, 0x28)], 'a.txt'), {}, 400],
    ['that is none', undefined, {}, 400],
    ['that is too large', new File(['a '.repeat(300_000)], 'a.txt'), {}, 400],
    ['into no language', fox, { target: 'klingon' }, 400],
    ['that nobody translates', fox, { source: 'ja', target: 'sw' }, 404],
  ])('is one %s', async (_, file, fields, status) => {
    expect(await failure(await send(file, fields))).toMatchObject({
      status,
      error: expect.any(String),
    });
  });

  it('is one without a known key', async () => {
    const file = new File(['The fox'], 'a.txt');
    expect((await send(file, {}, null)).status).toBe(401);
    expect((await send(file, {}, 'svck:unknown-0123456789abcdef')).status).toBe(401);
  });

  it('has no address', async () => {
    for (const name of ['x', '..%2f..%2fetc%2fpasswd', `${crypto.randomUUID()}.a.txt`])
      expect((await service.request(`/download_file/${name}`, { key: null })).status).toBe(404);
  });
});

describe('translated files', () => {
  it('are kept for ten minutes', async () => {
    const clock = createTestClock();
    const { store, find } = createTranslatedFiles(clock);
    const id = store({ owner: 'a', name: 'a.txt', text: 'x' });
    expect(find(id)?.text).toBe('x');
    await clock.advance(10 * 60_000 + 1);
    expect(find(id)).toBeUndefined();
  });

  it('are bounded, for each key and for all: the oldest go', () => {
    const { store, find } = createTranslatedFiles(createTestClock());
    const file = (owner: string): TranslatedFile => ({ owner, name: 'a.txt', text: 'x' });
    const first = store(file('quiet'));
    const loud = Array.from({ length: 40 }, () => store(file('loud')));
    expect(find(first)).toBeDefined();
    expect(loud.filter((id) => find(id))).toHaveLength(16);
    const many = Array.from({ length: 100 }, (_, index) => store(file(`key ${index}`)));
    expect(many.filter((id) => find(id))).toHaveLength(64);
    expect(find(first)).toBeUndefined();
  });
});

it('are told of in the settings of a page', async () => {
  const reply = await service.request('/frontend/settings', { key: null });
  expect(await reply.json()).toMatchObject({
    filesTranslation: true,
    supportedFilesFormat: expect.arrayContaining(['.txt', '.srt', '.vtt', '.html']),
  });
});
