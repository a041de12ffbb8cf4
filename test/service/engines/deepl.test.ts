import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../service/engines/deepl.ts';
import { testContract } from '../../contracts/contract.ts';
import { translationEngineContract } from '../../contracts/translation-engine.ts';
import { FAULTY } from '../../fakes/back-end.ts';
import { startFakeDeepL, type FakeDeepLOptions } from '../../fakes/deepl.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { engineConfig, lineOf, startTestService } from '../support.ts';
import { together, translate } from './translation-support.ts';

const KEY = '0123-4567:fx';
const TRANSLATE = '/v2/translate';

const startBoth = async (
  options: FakeDeepLOptions = {},
  variables: Record<string, string> = {},
) => {
  const server = await startFakeDeepL(KEY, options);
  const set = { SERVICE_DEEPL_KEY: KEY, SERVICE_DEEPL_URL: server.url, ...variables };
  const engine = createEngine({ config: engineConfig(set), log: silentLog });
  return together(server, engine);
};

describe('DeepL', () => {
  let both: Awaited<ReturnType<typeof startBoth>>;
  beforeAll(async () => {
    both = await startBoth({ characterLimit: 500_000 });
  });
  afterAll(() => both[Symbol.asyncDispose]());
  const last = () => both.server.to(TRANSLATE).at(-1)?.body;

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
    ['ja', 'en', 'JA', 'EN-US'],
    ['en-GB', 'pt', 'EN', 'PT-BR'],
    ['pt-BR', 'en-GB', 'PT', 'EN-GB'],
    ['en', 'zh-Hant', 'EN', 'ZH-HANT'],
    ['zh-Hant', 'no', 'ZH', 'NB'],
  ])('translates from %s to %s by its codes %s and %s', async (from, to, source, target) => {
    await translate(both.engine, 'hello', { from, to });
    expect(last()).toMatchObject({ source_lang: source, target_lang: target });
  });

  it('is not asked for a language that it does not list, and none into itself', async () => {
    const { translation } = await both.engine.abilities();
    expect(translation?.translates('en', 'eu')).toBe(false);
    expect(translation?.translates('en', 'en-GB')).toBe(false);
  });

  it('finds words and styles by tags, and is kept from reading what has no word', async () => {
    const tokens = new Map([
      [1, { word: 'Daniel' }],
      [3, { opens: 1 }],
      [4, { closes: 1 }],
    ]);
    const text = 'Thanks ⟦1⟧ & co, ⟦2⟧ for the ⟦3⟧quick help⟦4⟧!';
    expect(await translate(both.engine, text, { tokens })).toBe(
      'THANKS ⟦1⟧ & CO, ⟦2⟧ FOR THE ⟦3⟧QUICK HELP⟦4⟧!',
    );
    expect(last()?.['text']).toEqual([
      'Thanks <i id="0">Daniel</i> &amp; co, <var>1</var> for the <b id="0">quick help</b>!',
    ]);
  });

  it('is told what was said before, which is no part of the text', async () => {
    expect(await translate(both.engine, 'It is red.', { context: 'The house' })).toBe('IT IS RED.');
    expect(last()).toMatchObject({ context: 'The house', text: ['It is red.'] });
    await translate(both.engine, 'It is red.');
    expect(last()).not.toHaveProperty('context');
  });

  it('gets at most 50 texts and 128 KiB in a request', async () => {
    const before = both.server.to(TRANSLATE).length;
    const text = 'the fox & the bear\n'.repeat(120);
    expect(await translate(both.engine, text)).toBe(text.toUpperCase());
    const long = '<&>"狐'.repeat(2_000);
    expect(await translate(both.engine, long)).toBe(long);
    const sizes = both.server
      .to(TRANSLATE)
      .slice(before)
      .map(({ body }) => [body['text']].flat());
    expect(sizes.map(({ length }) => length).slice(0, 3)).toEqual([50, 50, 20]);
  });

  it('says how much of the account is used', async () => {
    expect(await lineOf(both.engine)).toMatchObject({
      ready: true,
      detail: expect.stringMatching(/^38 languages; \d+ of 500000 characters used$/),
    });
  });
});

describe('the settings of DeepL', () => {
  const glossaries = [
    {
      glossary_id: 'g-1',
      name: 'raids',
      dictionaries: [{ source_lang: 'en', target_lang: 'pt' }],
    },
  ];

  it('choose the form of address', async () => {
    await using both = await startBoth({}, { SERVICE_DEEPL_FORMALITY: 'prefer_less' });
    await translate(both.engine, 'hello');
    expect(both.server.to(TRANSLATE)[0]?.body).toMatchObject({ formality: 'prefer_less' });
  });

  it('give way to the form of address that a request asks for', async () => {
    await using both = await startBoth({}, { SERVICE_DEEPL_FORMALITY: 'prefer_less' });
    await translate(both.engine, 'hello', { formality: 'formal' });
    expect(both.server.to(TRANSLATE)[0]?.body).toMatchObject({ formality: 'prefer_more' });
  });

  it.each(['raids', 'g-1'])('choose the glossary %s, for its languages', async (named) => {
    await using both = await startBoth({ glossaries }, { SERVICE_DEEPL_GLOSSARY: named });
    await translate(both.engine, 'hello', { to: 'pt-BR' });
    await translate(both.engine, 'hello', { to: 'es' });
    expect(both.server.to(TRANSLATE).map(({ body }) => body['glossary_id'])).toEqual([
      'g-1',
      undefined,
    ]);
  });

  it('that name no glossary of the account are told of', async () => {
    await using both = await startBoth({ glossaries }, { SERVICE_DEEPL_GLOSSARY: 'none' });
    expect((await lineOf(both.engine)).detail).toContain('no glossary is named none');
    expect(await translate(both.engine, 'hello', { to: 'pt-BR' })).toBe('HELLO');
  });
});

describe('DeepL where it does not work', () => {
  it('refuses an account that has used all: the next engine is asked', async () => {
    await using both = await startBoth({ characterLimit: 8 });
    await translate(both.engine, 'hello');
    await expect(translate(both.engine, 'hello')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('quota of the account'),
    });
  });

  it('has too many requests: that is told, with its time', async () => {
    await using both = await startBoth();
    await both.engine.abilities();
    both.server.next(TRANSLATE, { status: 429, retryAfter: '3' });
    await expect(translate(both.engine, 'hello')).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 3_000,
    });
  });

  it('refuses the key: the variable is named, and the key is not', async () => {
    await using both = await startBoth({}, { SERVICE_DEEPL_KEY: 'wrong-key-0123456789:fx' });
    expect(await both.engine.abilities()).toEqual({});
    const { ready, fails, detail } = await lineOf(both.engine);
    expect([ready, fails]).toEqual([false, true]);
    expect(detail).toContain('see SERVICE_DEEPL_KEY');
    expect(detail).not.toContain('wrong-key');
  });

  it.each(FAULTY)('answers with %s: the next engine is asked', async (_, fault) => {
    await using both = await startBoth();
    await both.engine.abilities();
    both.server.next(TRANSLATE, fault);
    await expect(translate(both.engine, 'hello')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:bad-reply|unavailable)$/),
    });
  });

  it('loses tags: the words around them are translated apart', async () => {
    await using both = await startBoth();
    await both.engine.abilities();
    for (const text of ['GRACIAS POR LA AYUDA', 'GRACIAS POR LA AYUDA'])
      both.server.next(TRANSLATE, { json: { translations: [{ text }] } });
    const tokens = new Map([[1, { word: 'Daniel' }]]);
    expect(await translate(both.engine, 'Thanks ⟦1⟧ for the help', { tokens })).toBe(
      'THANKS ⟦1⟧ FOR THE HELP',
    );
  });
});

describe('the service with a key of DeepL', () => {
  it('asks it, and names it', async () => {
    await using server = await startFakeDeepL(KEY, { translate: () => 'Hasta mañana' });
    await using service = await startTestService({
      SERVICE_DEEPL_KEY: KEY,
      SERVICE_DEEPL_URL: server.url,
    });
    const fields = { text: 'See you tomorrow', source_lang: 'en', target_lang: 'es' };
    expect(await (await service.translate(fields)).json()).toMatchObject({
      model: 'deepl-EN-ES',
      choices: [{ message: { content: 'Hasta mañana' } }],
    });
  });
});
