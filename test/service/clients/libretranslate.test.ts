import { describe, expect, it } from 'vitest';
import { KEY, startTestService } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

// Requests as their programs send them, by their public source.

const service = shared(() => startTestService());

const FORM = 'application/x-www-form-urlencoded';

const post = async (path: string, body: string | FormData, type?: string): Promise<unknown> => {
  const headers = type === undefined ? {} : { 'content-type': type };
  const reply = await service.request(path, { method: 'POST', key: null, headers, body });
  expect(reply.status).toBe(200);
  return reply.json();
};
const get = async (path: string): Promise<unknown> =>
  (await service.request(path, { key: null })).json();

describe('Mastodon', () => {
  // app/lib/translation_service/libre_translate.rb
  it('has the texts of a post translated in one request, empty ones too', async () => {
    const body = {
      q: ['<p>Hello <a href="https://a.example/@b">@b</a>, the fox sleeps</p>', '', 'A spoiler'],
      source: 'auto',
      target: 'en-XA',
      format: 'html',
      api_key: KEY,
    };
    const { translatedText, detectedLanguage } = (await post(
      '/translate',
      JSON.stringify(body),
      'application/json',
    )) as { translatedText: string[]; detectedLanguage: { language: string }[] };
    expect(translatedText).toHaveLength(3);
    expect(translatedText[0]).toContain('<a href="https://a.example/@b">');
    expect(translatedText[1]).toBe('');
    expect(detectedLanguage.map(({ language }) => language)).toEqual(['en', 'en', 'en']);
  });

  it('reads the targets of each language', async () => {
    const languages = (await get('/languages')) as { code: string; targets: string[] }[];
    for (const { code, targets } of languages) expect(targets).not.toContain(code);
  });
});

describe('Discourse', () => {
  // app/services/discourse_translator/provider/libre_translate.rb
  it('finds the language of a post, and has it translated as a form', async () => {
    const q = '<p>The fox &amp; the bear sleep in the den, <em>quietly</em>.</p>';
    const plain = new URLSearchParams({ q: 'The fox and the bear sleep', api_key: KEY });
    const [found] = (await post('/detect', plain.toString(), FORM)) as { language: string }[];
    expect(found?.language).toBe('en');
    const fields = { q, source: 'en', target: 'en-XA', format: 'html', api_key: KEY };
    const { translatedText } = (await post(
      '/translate',
      new URLSearchParams(fields).toString(),
      FORM,
    )) as { translatedText: string };
    expect(translatedText).toMatch(/^<p>.*&amp;.*<em>.*<\/em>.*<\/p>$/u);
  });

  it('may name Hebrew by its old code', async () => {
    const fields = new URLSearchParams({ q: 'שלום', source: 'iw', target: 'he', api_key: KEY });
    expect(await post('/translate', fields.toString(), FORM)).toEqual({ translatedText: 'שלום' });
  });
});

describe("LibreTranslate's page", () => {
  // libretranslate/templates/app.js.template
  const form = (fields: Record<string, string | File>): FormData => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return body;
  };

  it('begins with the settings and languages', async () => {
    const { language, charLimit, frontendTimeout } = (await get('/frontend/settings')) as {
      language: { source: { code: string }; target: { code: string } };
      charLimit: number;
      frontendTimeout: number;
    };
    expect(language).toMatchObject({ source: { code: 'auto' }, target: { code: 'en' } });
    expect([charLimit, frontendTimeout].every((each) => each > 0)).toBe(true);
  });

  it('has a text translated', async () => {
    const reply = await post(
      '/translate',
      form({
        q: 'The fox sleeps',
        source: 'auto',
        target: 'en-XA',
        format: 'text',
        alternatives: '3',
        api_key: KEY,
      }),
    );
    expect(reply).toMatchObject({
      translatedText: expect.stringContaining('ƒööẋ'),
      detectedLanguage: { language: 'en', confidence: expect.any(Number) },
      alternatives: [],
    });
  });

  it('has a file translated, and downloads it without a key', async () => {
    const file = new File(['The fox sleeps'], 'fox.txt', { type: 'text/plain' });
    const { translatedFileUrl } = (await post(
      '/translate_file',
      form({ file, source: 'en', target: 'en-XA', api_key: KEY }),
    )) as { translatedFileUrl: string };
    expect(await (await fetch(translatedFileUrl)).text()).toContain('ƒööẋ');
  });
});
