import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/libretranslate.ts';
import { testContract } from '../../contracts/contract.ts';
import { translationEngineContract } from '../../contracts/translation-engine.ts';
import { FAULTY } from '../../fakes/back-end.ts';
import {
  startFakeLibreTranslate,
  type FakeLibreTranslateOptions,
} from '../../fakes/libretranslate.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { engineConfig, failure, lineOf, startTestService } from '../support.ts';
import { together, translate } from './translation-support.ts';

const create = (url: string, variables: Record<string, string> = {}): Engine =>
  createEngine({
    config: engineConfig({ SERVICE_LIBRETRANSLATE_URL: url, ...variables }),
    log: silentLog,
  });

const startBoth = async (options: FakeLibreTranslateOptions = {}) => {
  const server = await startFakeLibreTranslate(options);
  const engine = create(server.url);
  return together(server, engine);
};

describe('a LibreTranslate server', () => {
  let both: Awaited<ReturnType<typeof startBoth>>;
  beforeAll(async () => {
    both = await startBoth();
  });
  afterAll(() => both[Symbol.asyncDispose]());

  testContract(
    'keeps the contract of translation engines:',
    translationEngineContract,
    async () => ({
      port: (await both.engine.abilities()).translation!,
      from: 'en',
      to: 'es',
    }),
  );

  it.each([
    ['en', 'pt-BR', 'pt-BR'],
    ['en', 'zh', 'zh-Hans'],
    ['en', 'zh-Hant', 'zh-Hant'],
    ['en', 'zh-TW', 'zh-Hant'],
    ['en', 'no', 'nb'],
    ['en-GB', 'es-MX', 'es'],
  ])('translates from %s to %s by its code %s', async (from, to, target) => {
    await translate(both.engine, 'hello fox', { from, to });
    expect(both.server.to('/translate').at(-1)?.body).toMatchObject({ source: 'en', target });
  });

  it('does not translate what it has no code for, and a language into itself', async () => {
    const { translation } = await both.engine.abilities();
    expect(translation?.translates('en', 'tlh')).toBe(false);
    expect(translation?.translates('en-GB', 'en-US')).toBe(false);
  });

  it('is asked once for all lines of a text', async () => {
    const before = both.server.to('/translate').length;
    expect(await translate(both.engine, 'The fox sleeps.\n\nThe bear sleeps.\n')).toBe(
      'THE FOX SLEEPS.\n\nTHE BEAR SLEEPS.\n',
    );
    expect(both.server.to('/translate').slice(before)).toMatchObject([
      { body: { q: ['The fox sleeps.', 'The bear sleeps.'], format: 'text' } },
    ]);
  });

  it('copies a word in the place of each token, and gets what stands between styles apart', async () => {
    const tokens = new Map([
      [1, { word: 'Daniel' }],
      [3, { opens: 1 }],
      [4, { closes: 1 }],
    ]);
    const text = 'Thanks ⟦1⟧ for ⟦2⟧ help';
    expect(await translate(both.engine, text, { tokens })).toBe('THANKS ⟦1⟧ FOR ⟦2⟧ HELP');
    expect(both.server.to('/translate').at(-1)?.body['q']).toEqual(['Thanks X1 for X2 help']);
    expect(await translate(both.engine, 'Thanks ⟦1⟧ for the ⟦3⟧quick help⟦4⟧', { tokens })).toBe(
      'THANKS ⟦1⟧ FOR THE ⟦3⟧QUICK HELP⟦4⟧',
    );
    expect(both.server.to('/translate').at(-1)?.body['q']).toEqual([
      'Thanks X1 for the',
      'quick help',
    ]);
    expect(await translate(both.engine, 'the ⟦3⟧quick fox⟦4⟧ sleeps', { tokens })).toBe(
      'THE ⟦3⟧QUICK FOX⟦4⟧ SLEEPS',
    );
  });

  it('that loses a copied word gets what stands around it apart', async () => {
    await using loses = await startBoth({
      translate: (text) => text.replace(/\s*\bX\d\b/u, '').toUpperCase(),
    });
    const tokens = new Map([[1, { word: 'Daniel' }]]);
    expect(await translate(loses.engine, 'Thanks ⟦1⟧ for the help', { tokens })).toBe(
      'THANKS ⟦1⟧ FOR THE HELP',
    );
  });

  it('names its languages', async () => {
    expect(await lineOf(both.engine)).toMatchObject({ ready: true, detail: '50 languages' });
  });
});

describe('the limits of a LibreTranslate server', () => {
  it('hold for each text', async () => {
    await using both = await startBoth({ charLimit: 40 });
    const text = 'The quick brown fox sleeps. '.repeat(5).trim();
    expect(await translate(both.engine, text)).toBe(text.toUpperCase());
  });

  it('hold for the number of texts, and are remembered', async () => {
    await using both = await startBoth({ batchLimit: 1 });
    const sizes = () => both.server.to('/translate').map(({ body }) => [body['q']].flat().length);
    expect(await translate(both.engine, 'hello fox\nhello bear')).toBe('HELLO FOX\nHELLO BEAR');
    expect(sizes()).toEqual([2, 1, 1]);
    await translate(both.engine, 'hello fox\nhello bear');
    expect(sizes().slice(3)).toEqual([1, 1]);
  });

  it('are told with their time', async () => {
    await using both = await startBoth();
    both.server.next('/translate', { status: 429, json: { error: 'Slowdown' }, retryAfter: '7' });
    await expect(translate(both.engine, 'hello fox')).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 7_000,
    });
    const error = 'Too many request limits violations';
    both.server.next('/translate', { status: 403, json: { error } });
    await expect(translate(both.engine, 'hello fox')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('SERVICE_LIBRETRANSLATE_KEY'),
    });
  });
});

describe('a LibreTranslate server that is not well', () => {
  it.each(FAULTY)('fails a request with %s, which the next engine gets', async (_, fault) => {
    await using both = await startBoth();
    await both.engine.abilities();
    both.server.next('/translate', fault);
    await expect(translate(both.engine, 'hello fox')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:bad-reply|unavailable)$/),
    });
  });

  it.each(FAULTY)('has no ability while its languages are %s, and says why', async (_, fault) => {
    await using both = await startBoth();
    both.server.next('/languages', fault);
    expect(await both.engine.abilities()).toEqual({});
    expect(await lineOf(both.engine)).toMatchObject({
      ready: false,
      fails: true,
      detail: expect.stringMatching(/^SERVICE_LIBRETRANSLATE_URL: The backend /),
    });
    expect(both.engine.remedy({ ability: 'translation', from: 'en', to: 'es' })).toContain(
      'SERVICE_LIBRETRANSLATE_URL',
    );
  });

  it('that hangs is left once its client has left', async () => {
    await using both = await startBoth();
    const { translation } = await both.engine.abilities();
    both.server.next('/translate', { silent: true });
    const leaving = new AbortController();
    const request = {
      text: 'hi',
      from: 'en',
      to: 'es',
      tokens: new Map(),
      keywords: [],
      context: '',
    };
    const asked = Array.fromAsync(translation!.translate(request, leaving.signal));
    await expect.poll(() => both.server.to('/translate').length).toBe(1);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
  });

  it('shows neither its key nor the text in an error', async () => {
    await using server = await startFakeLibreTranslate();
    await using engine = create(server.url, { SERVICE_LIBRETRANSLATE_KEY: 'k'.repeat(30) });
    const said = `bad key ${'k'.repeat(30)} for: our secret plan`;
    server.next('/translate', { status: 500, json: { error: said } });
    const thrown: unknown = await translate(engine, 'our secret plan').catch(
      (error: unknown) => error,
    );
    expect(String(thrown)).toContain('It said: bad key');
    expect(String(thrown)).not.toMatch(/kkk|secret/);
  });

  it('gets its key, and loses languages that it no longer lists', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await using server = await startFakeLibreTranslate({ key: 'lt-key' });
      await using engine = create(server.url, { SERVICE_LIBRETRANSLATE_KEY: 'lt-key' });
      expect(await translate(engine, 'hello fox')).toBe('HELLO FOX');
      server.install(['en', 'ja']);
      vi.advanceTimersByTime(61_000);
      const { translation } = await engine.abilities();
      await expect.poll(() => translation?.translates('en', 'es')).toBe(false);
      expect(translation?.translates('en', 'ja')).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the service with a LibreTranslate server', () => {
  const FIELDS = { text: 'See you tomorrow', source_lang: 'en', target_lang: 'es' };

  it('judges what it says, and names it', async () => {
    await using server = await startFakeLibreTranslate({ translate: () => 'Hasta mañana' });
    await using service = await startTestService({ SERVICE_LIBRETRANSLATE_URL: server.url });
    expect(await (await service.translate(FIELDS)).json()).toMatchObject({
      model: 'libretranslate-en-es',
      choices: [{ message: { content: 'Hasta mañana' } }],
    });
    await using loop = await startFakeLibreTranslate({ translate: () => 'la '.repeat(300) });
    await using other = await startTestService({ SERVICE_LIBRETRANSLATE_URL: loop.url });
    expect(await failure(await other.translate(FIELDS))).toMatchObject({ name: 'ErrBadReply' });
  });

  it('says nothing of it to those who have none', async () => {
    await using service = await startTestService();
    expect((await failure(await service.translate(FIELDS))).error).not.toContain('LIBRETRANSLATE');
  });
});
