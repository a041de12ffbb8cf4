import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installFakeApertium, type FakeApertium } from '../fakes/apertium.ts';
import { startFakeOpenai, type FakeOpenai } from '../fakes/openai.ts';
import { startTestService, type TestService } from './support.ts';

const FIELDS = { text: 'the fox', source_lang: 'en', target_lang: 'es' };

describe('translation with a language model and Apertium', () => {
  let apertium: FakeApertium;
  let openai: FakeOpenai;
  let service: TestService;
  let isUp: boolean;
  const start = (variables: Record<string, string> = {}): Promise<TestService> =>
    startTestService({
      SERVICE_OPENAI_URL: openai.url,
      SERVICE_APERTIUM_MODES: apertium.modes,
      ...variables,
    });
  beforeEach(async () => {
    isUp = true;
    apertium = installFakeApertium();
    openai = await startFakeOpenai({ chat: () => ['la zorra'] });
    service = await start();
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    if (isUp) await openai[Symbol.asyncDispose]();
    apertium[Symbol.dispose]();
  });

  const translate = async (fields: object = {}, to = service): Promise<string> => {
    const reply = await to.translate({ ...FIELDS, ...fields });
    const text = await reply.text();
    return reply.status === 200 ? text : `${reply.status}`;
  };

  it('goes on while the model’s server is down, streamed or whole', async () => {
    expect(await translate()).toContain('la zorra');
    await openai[Symbol.asyncDispose]();
    isUp = false;
    expect(await translate()).toContain('el zorro');
    expect(await translate({ stream: 'true' })).toContain('el zorro');
  });

  it('goes on when the model breaks off before a whole reply', async () => {
    openai.fail('/chat/completions', { kind: 'cut' });
    expect(await translate()).toContain('el zorro');
  });

  it('goes on when the model has as many requests as its rate allows', async () => {
    await using own = await start({ SERVICE_ENGINE_RATES: 'openai=1/h' });
    expect(await translate({}, own)).toContain('la zorra');
    expect(await translate({}, own)).toContain('el zorro');
    expect(await translate({ stream: 'true' }, own)).toContain('el zorro');
    expect(await translate({ target_lang: 'fr' }, own)).toBe('429');
  });

  it('uses the engine that the configuration prefers for a pair', async () => {
    await using own = await start({ SERVICE_ENGINE_ORDER: 'translation:en:es=apertium' });
    expect(await translate({}, own)).toContain('el zorro');
    expect(await translate({ target_lang: 'fr' }, own)).toContain('la zorra');
  });
});
