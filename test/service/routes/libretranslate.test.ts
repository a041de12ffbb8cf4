import { describe, expect, it } from 'vitest';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { failure, KEY, startTestService } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

const service = shared(() => startTestService());

/** A request as a client of that API sends it: its key is a field. */
const ask = (path: string, fields: Record<string, unknown>, key: string | null = KEY) =>
  service.request(path, {
    method: 'POST',
    key: null,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key === null ? fields : { ...fields, api_key: key }),
  });

const translate = async (fields: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const reply = await ask('/translate', { source: 'en', target: 'en-XA', ...fields });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Record<string, unknown>;
};

describe('the LibreTranslate API', () => {
  it('translates a text, and a list of texts in their order', async () => {
    const { translatedText } = await translate({ q: 'The fox sleeps' });
    expect(translatedText).toContain('ƒööẋ');
    const both = await translate({ q: ['one', 'The fox sleeps'], alternatives: 2 });
    expect(both).toEqual({
      translatedText: [expect.any(String), translatedText],
      alternatives: [[], []],
    });
  });

  it.each([
    ['an encoded form', new URLSearchParams()],
    ['a form', new FormData()],
  ])('takes %s, with the key in it', async (_, body) => {
    const fields = { q: 'The fox', source: 'en', target: 'en-XA', api_key: KEY };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const reply = await service.request('/translate', { method: 'POST', key: null, body });
    expect(await reply.json()).toEqual({ translatedText: expect.stringContaining('[') });
  });

  it('finds the language of a text by itself, and says which and how surely', async () => {
    const q = 'Wir sehen uns morgen um drei am Bahnhof';
    const reply = await translate({ q, source: 'auto' });
    const detected = { language: 'de', confidence: expect.any(Number) as number };
    expect(reply['detectedLanguage']).toEqual(detected);
    const found = await ask('/detect', { q });
    expect(((await found.json()) as unknown[])[0]).toEqual(detected);
    expect(await (await ask('/detect', { q: '42' })).json()).toEqual([
      { language: 'en', confidence: 0 },
    ]);
  });

  it('keeps placeholders, addresses and code of a text as they are', async () => {
    const q = 'Open https://example.com/a?b=1 for {name}\nand run `npm ci`, please';
    const { translatedText } = await translate({ q });
    for (const kept of ['https://example.com/a?b=1', '{name}', '`npm ci`', '\n'])
      expect(translatedText).toContain(kept);
  });

  it('refuses an unknown key, none, and fields that make no sense, with the field error', async () => {
    for (const key of ['svck:unknown-0123456789abcdef', null]) {
      const reply = await ask('/translate', { q: 'a', source: 'en', target: 'en-XA' }, key);
      expect(await failure(reply)).toMatchObject({ status: 401 });
    }
    for (const fields of [{}, { q: 1 }, { q: 'a', target: 'klingon' }, { q: ['a', 2] }])
      expect(await failure(await ask('/translate', { target: 'en-XA', ...fields }))).toMatchObject({
        status: 400,
        error: expect.any(String),
      });
    const other = await ask('/translate', { q: 'a', source: 'ja', target: 'sw' });
    expect(await failure(other)).toMatchObject({ status: 404, name: 'ErrServiceNotRegistered' });
    for (const path of ['/translate', '/detect'])
      expect((await service.request(path, { key: null })).status).toBe(401);
  });

  it('lists the languages from which there is a way, each with its targets', async () => {
    await using openai = await startFakeOpenai();
    await using other = await startTestService({ SERVICE_OPENAI_URL: openai.url });
    const reply = await other.request('/languages', { key: null });
    const list = (await reply.json()) as { code: string; name: string; targets: string[] }[];
    expect(list[0]).toMatchObject({ code: 'en', name: 'English' });
    expect(list[0]?.targets).toEqual(expect.arrayContaining(['es', 'zt', 'pb']));
    expect(list[0]?.targets).not.toContain('en');
  });

  it('tells everybody its languages and settings, without a key', async () => {
    for (const path of ['/languages', '/frontend/settings']) {
      const reply = await service.request(path, { key: null });
      expect(reply.status).toBe(200);
      expect(await reply.json()).toBeTypeOf('object');
    }
  });
});

describe('a text in HTML', () => {
  it('keeps its tags, entities, scripts and comments', async () => {
    const q =
      '<p class="a">Bread &amp; <b>butter</b> are <a href="/x?y=1&amp;z=2">here</a></p><script>let a = 1 < 2;</script><!-- note --><br/><li>next</li>';
    const { translatedText } = await translate({ q, format: 'html' });
    const tags = (html: unknown) => String(html).match(/<[^>]*>/gu);
    expect(tags(translatedText)).toEqual(tags(q));
    expect(translatedText).toContain(' &amp; ');
    expect(translatedText).toContain('<script>let a = 1 < 2;</script><!-- note -->');
    expect(translatedText).not.toContain('butter');
  });

  it('is no way for words to become tags', async () => {
    const { translatedText } = await translate({
      q: 'a &lt;script&gt; and 1 &#60; 2 ⟦1⟧ here',
      format: 'html',
    });
    expect(translatedText).not.toMatch(/<|⟦/u);
  });
});
