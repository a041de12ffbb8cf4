import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadEngines, inPreferredOrder, type Offer } from '../../service/engine-loader.ts';
import { createTestClock } from '../fakes/clock.ts';
import { silentLog } from '../fakes/silent-log.ts';
import { translates } from '../../service/translation/legs.ts';
import { engineConfig } from './support.ts';
import { parseConfig } from '../../src/config.ts';
import { engineSection, type Ability } from '../../service/config.ts';

const signal = new AbortController().signal;
const context = { config: engineConfig(), log: silentLog };

const engine = (name: string, rank: number, abilities: string): string =>
  `export const createEngine = () => ({
    name: '${name}', serves: ['chat'], rank: ${rank}, concurrent: 1,
    abilities: async () => (${abilities}),
    report: async () => { throw new Error('${name} broke') },
    remedy: () => 'set ${name.toUpperCase()}',
    [Symbol.asyncDispose]: async () => {},
  });`;

describe('the folder of engines', () => {
  let folder: string;
  const load = (): ReturnType<typeof loadEngines> =>
    loadEngines(context, pathToFileURL(`${folder}/`));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-engines-'));
  });

  it.each([
    ['has no engine', 'export const other = 7;', 'wrong.ts does not export createEngine'],
    ['is no script', 'export const <', 'wrong.ts cannot be loaded'],
  ])('names the one file that %s', async (_, text, words) => {
    writeFileSync(join(folder, 'right.ts'), engine('right', 1, '{}'));
    writeFileSync(join(folder, 'wrong.ts'), text);
    await expect(load()).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(words),
    });
  });

  it('takes files alone, asks the best that is ready, and names all that could be', async () => {
    mkdirSync(join(folder, 'parts'));
    writeFileSync(join(folder, 'second.ts'), engine('second', 2, '{ chat: {} }'));
    writeFileSync(join(folder, 'first.ts'), engine('first', 1, '{ chat: {} }'));
    writeFileSync(join(folder, 'best.ts'), engine('best', 0, '{}'));
    await using engines = await load();
    const offers = await engines.offers('chat');
    expect(offers.map((offer) => offer.name)).toEqual(['first', 'second']);
    expect(await engines.offers('speech')).toEqual([]);
    expect(engines.missing({ ability: 'chat' }).message).toBe(
      'No engine chats. Add one: set SECOND, or set FIRST, or set BEST.',
    );
  });

  it('says once what adds several engines', async () => {
    for (const name of ['one', 'two'])
      writeFileSync(
        join(folder, `${name}.ts`),
        engine(name, 1, '{}').replace(/'set \w+'/, "'run it'"),
      );
    await using engines = await load();
    expect(engines.missing({ ability: 'chat' }).message).toBe('No engine chats. Add one: run it.');
  });

  it('asks an engine in the order of what translates the pair, where it says so', async () => {
    const translating = (name: string, rank: number, own: string): string =>
      engine(name, rank, `{ translation: { translates: () => true, rank: ${own} } }`).replace(
        "['chat']",
        "['translation']",
      );
    writeFileSync(join(folder, 'small.ts'), translating('small', 1, '() => 9'));
    writeFileSync(join(folder, 'usual.ts'), translating('usual', 3, 'undefined'));
    await using engines = await load();
    const offers = await engines.offers('translation', { from: 'en', to: 'es' });
    expect(offers.map(({ name }) => name)).toEqual(['usual', 'small']);
  });

  it('advises as fits an image, where it runs in one', async () => {
    const named = engine('named', 1, '{}').replace("'set NAMED'", "'run npm run setup'");
    writeFileSync(join(folder, 'named.ts'), named);
    const config = engineConfig({ DRAGOMAN_IMAGE: 'true' });
    await using engines = await loadEngines({ ...context, config }, pathToFileURL(`${folder}/`));
    expect(engines.missing({ ability: 'chat' }).message).toContain('run dragoman setup');
  });

  it('knows which languages there are ways into', async () => {
    const knows = (pairs: string): string =>
      `{ translation: { translates: (from, to) => ${pairs}.includes(from + ' ' + to) } }`;
    const translating = (name: string, pairs: string): string =>
      engine(name, 1, knows(pairs)).replace("['chat']", "['translation']");
    writeFileSync(join(folder, 'one.ts'), translating('one', "['en es']"));
    writeFileSync(join(folder, 'two.ts'), translating('two', "['ja ko']"));
    await using engines = await load();
    const asked = ['es', 'ko', 'fr'].map((to) => translates(engines, to));
    expect(await Promise.all(asked)).toEqual([true, true, false]);
    expect(await translates(engines, 'es', 'en')).toBe(true);
    expect(await translates(engines, 'es', 'ja')).toBe(false);
  });

  it('has the calls of all abilities of an engine that shares its turns wait in one queue, by key', async () => {
    const both = "['chat', 'translation']";
    const shares = engine('shares', 1, '{ chat: {}, translation: { translates: () => true } }')
      .replace("['chat']", both)
      .replace('concurrent: 1', '$&, sharesTurns: true');
    writeFileSync(join(folder, 'shares.ts'), shares);
    await using engines = await load();
    const [chat] = await engines.offers('chat');
    const [translation] = await engines.offers('translation', { from: 'en', to: 'es' });
    const order: string[] = [];
    const call = async ({ limiter }: Pick<Offer<Ability>, 'limiter'>, key: string) => {
      using _ = await limiter.acquire(signal, key);
      order.push(key);
    };
    const running = await chat!.limiter.acquire(signal, 'busy');
    const calls = [
      call(chat!, 'busy'),
      call(translation!, 'busy'),
      call(translation!, 'second'),
      call(chat!, 'third'),
    ];
    running[Symbol.dispose]();
    await Promise.all(calls);
    expect(order).toEqual(['second', 'third', 'busy', 'busy']);
  });

  it('goes on without one that cannot tell what it offers', async () => {
    const broken = "await Promise.reject(new Error('unreadable'))";
    writeFileSync(join(folder, 'broken.ts'), engine('broken', 1, broken));
    writeFileSync(join(folder, 'whole.ts'), engine('whole', 2, '{ chat: {} }'));
    await using engines = await load();
    expect((await engines.offers('chat')).map(({ name }) => name)).toEqual(['whole']);
  });

  it('waits a second for one that does not tell what it offers, where another could serve', async () => {
    writeFileSync(join(folder, 'hanging.ts'), engine('hanging', 1, 'await new Promise(() => {})'));
    writeFileSync(join(folder, 'quick.ts'), engine('quick', 2, '{ chat: {} }'));
    const clock = createTestClock();
    await using engines = await loadEngines(context, pathToFileURL(`${folder}/`), clock);
    const offers = engines.offers('chat');
    await clock.advance(1_000);
    expect((await offers).map(({ name }) => name)).toEqual(['quick']);
  });

  it('waits for one that is slow, where no other could serve', async () => {
    const gate = Promise.withResolvers<void>();
    Object.assign(globalThis, { gateOfTest: gate.promise });
    const slow = '(await globalThis.gateOfTest, { chat: {} })';
    writeFileSync(join(folder, 'slow.ts'), engine('slow', 1, slow));
    const clock = createTestClock();
    await using engines = await loadEngines(context, pathToFileURL(`${folder}/`), clock);
    const offers = engines.offers('chat');
    await clock.advance(5_000);
    gate.resolve();
    expect((await offers).map(({ name }) => name)).toEqual(['slow']);
  });

  it('reports an engine that fails to report', async () => {
    writeFileSync(join(folder, 'one.ts'), engine('one', 1, '{}'));
    await using engines = await load();
    expect(await engines.report()).toEqual([
      { name: 'one', serves: ['chat'], ready: false, detail: 'one broke' },
    ]);
  });
});

const ENGINES = [{ name: 'openai' }, { name: 'apertium' }, { name: 'another' }];

const ordersOf = (text: string) =>
  parseConfig({ SERVICE_ENGINE_ORDER: text }, { engines: engineSection }).engines
    .SERVICE_ENGINE_ORDER;

const namesFor = (text: string, from: string, to: string): string[] =>
  inPreferredOrder(ENGINES, ordersOf(text), 'translation', { from, to }).map(({ name }) => name);

describe('the order of engines', () => {
  it('is that of a language pair, or of the ability; others follow', () => {
    const text = 'translation=another,translation:en:es=apertium>openai,chat=another';
    expect(namesFor(text, 'en', 'es')).toEqual(['apertium', 'openai', 'another']);
    expect(namesFor(text, 'en-GB', 'es-MX')).toEqual(['apertium', 'openai', 'another']);
    expect(namesFor(text, 'es', 'en')).toEqual(['another', 'openai', 'apertium']);
  });

  it('is their own without a setting', () => {
    expect(namesFor('recognition=another', 'en', 'es')).toEqual(ENGINES.map(({ name }) => name));
  });

  it.each([
    'translation',
    'translation=',
    'cooking=openai',
    'chat:en:es=openai',
    'translation:en=x',
  ])('cannot be %s', (text) => {
    expect(() => ordersOf(text)).toThrow(
      /must be like .*\(chat, translation, recognition, speech\)/,
    );
  });
});
