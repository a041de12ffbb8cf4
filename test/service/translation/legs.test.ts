import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { TranslationEngine } from '../../../service/engine.ts';
import { createEngineHealth, type Engines } from '../../../service/engine-loader.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import type { RouteContext } from '../../../service/route.ts';
import { translate } from '../../../service/routes/translate.ts';
import { findSources, translates } from '../../../service/translation/legs.ts';
import { offering } from '../support.ts';

type Words = (text: string) => string;

const engine = (pairs: readonly string[], say: Words): TranslationEngine => ({
  translates: (from, to) => pairs.includes(`${from} ${to}`),
  translate: async function* ({ text, from, to }) {
    yield { text: say(text), model: `m-${from}-${to}` };
  },
});

const limiters = new Map<string, ReturnType<typeof createRequestLimiter>>();
const enginesOf = (named: Readonly<Record<string, TranslationEngine>>): Engines => {
  const all = Object.entries(named).map(([name, each]) => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 0 });
    limiters.set(name, limiter);
    return { name, engine: each, limiter, health: createEngineHealth() };
  });
  return {
    ...offering('none', {}, limiters.values().next().value!).engines,
    offers: async () => all as never,
  };
};

describe('a way through two engines', () => {
  const portuguese = engine(['pt en'], (text) => `[${text}]`);
  const spanish = engine(['en es'], (text) => `<${text}>`);
  const broken = engine(['pt en', 'en es'], () => {
    throw new AppError('unavailable', 'down', { retryable: true });
  });

  const ask = async (
    engines: Engines,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ reply: Response; charged: unknown[] }> => {
    const charged: unknown[] = [];
    const body = new FormData();
    const all = { text: 'A raposa ⟦1⟧', source_lang: 'pt', target_lang: 'es', ...fields };
    for (const [name, value] of Object.entries(all)) body.set(name, value);
    const base = offering('none', {}, limiters.values().next().value!);
    const context: RouteContext = {
      ...base,
      engines,
      account: { ...base.account, charge: (use) => charged.push(use) },
      request: new Request('http://localhost/', { method: 'POST', body }),
    };
    return { reply: await translate.handle(context), charged };
  };

  it.each(['false', 'true'])('keeps tokens and is charged as one (stream: %s)', async (stream) => {
    const engines = enginesOf({ portuguese, spanish });
    const { reply, charged } = await ask(engines, { stream });
    const text = await reply.text();
    expect(text).toContain('<[A raposa ⟦1⟧]>');
    if (stream === 'false') expect(text).toContain('"model":"m-pt-en+m-en-es"');
    expect(charged).toEqual([{ ability: 'translation', engine: 'spanish', amount: 12 }]);
    for (const limiter of limiters.values())
      (await limiter.acquire(new AbortController().signal))[Symbol.dispose]();
  });

  it('goes on with the next engine on either half', async () => {
    const engines = enginesOf({ broken, portuguese, spanish });
    const { reply, charged } = await ask(engines, {});
    expect(await reply.text()).toContain('<[A raposa ⟦1⟧]>');
    expect(charged).toHaveLength(1);
  });

  it('charges nothing where a half fails', async () => {
    const charges: unknown[] = [];
    const engines = enginesOf({
      portuguese,
      broken: { ...broken, translates: (from, to) => spanish.translates(from, to) },
    });
    await expect(
      ask(engines, {}).then(({ charged }) => charges.push(...charged)),
    ).rejects.toMatchObject({ code: 'unavailable' });
    expect(charges).toEqual([]);
  });

  it('keeps the terms of the request on both halves', async () => {
    const engines = enginesOf({
      portuguese,
      spanish: engine(['en es'], (text) => text.toUpperCase()),
    });
    const { reply } = await ask(engines, { keywords: 'raposa' });
    expect(await reply.text()).toContain('[A raposa ⟦1⟧]');
  });

  it('is known to those who ask what there is', async () => {
    const engines = enginesOf({ portuguese, spanish });
    expect(await translates(engines, 'es', 'pt')).toBe(true);
    expect(await translates(engines, 'en', 'es')).toBe(false);
    expect(await findSources(engines, 'es')).toEqual(['en', 'pt']);
  });

  it('begins with the engine that the request names, where that can', async () => {
    const engines = enginesOf({
      portuguese,
      spanish,
      other: engine(['en es'], (text) => `(${text})`),
    });
    for (const model of ['other', 'other-en-es'])
      expect(await (await ask(engines, { model })).reply.text()).toContain('([A raposa ⟦1⟧])');
    for (const model of ['none', 'others'])
      expect(await (await ask(engines, { model })).reply.text()).toContain('<[A raposa ⟦1⟧]>');
  });

  it('is not taken where one engine knows both languages', async () => {
    const direct = engine(['pt es'], (text) => `{${text}}`);
    const { reply } = await ask(enginesOf({ portuguese, spanish, direct }), {});
    expect(await reply.text()).toContain('{A raposa ⟦1⟧}');
  });
});
