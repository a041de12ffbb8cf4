import { describe, expect, it } from 'vitest';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { TranslationRequest } from '../../../src/translation/translator.ts';
import { createLimits } from '../../../src/usage/limits.ts';
import type { SpaceChoices } from '../../../src/model/space.ts';
import { type MeteredServices, translateMeteredLine } from '../../../src/usage/meter.ts';

const space = { platform: 'test', id: 's' };
const LINE = { lane: 'live', space, memberId: 'm', text: plainWords('hello') } as const;
const { signal } = new AbortController();

const NOTHING = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };

const servicesWith = (record: (...given: unknown[]) => Promise<void>, dailyCharacters?: number) =>
  ({
    limits: createLimits({
      spaces: { of: async () => ({ dailyCharacters }) as SpaceChoices },
      usage: { today: async () => NOTHING, todayEverywhere: async () => NOTHING },
    }),
    usage: { record },
    translator: {
      async *translate({ text, to }: TranslationRequest) {
        return { text: plainWords(`${to}: ${plainText(text)}`), outcome: 'translated' };
      },
    },
  }) as unknown as MeteredServices;

const translated = async (services: MeteredServices) => {
  const items = await Array.fromAsync(translateMeteredLine(services, LINE, ['fr', 'ja'], signal));
  return items
    .map(({ language, text, error }) => ({
      language,
      text: plainText(text),
      ...(error && { error: error.code }),
    }))
    .toSorted((a, b) => a.language.localeCompare(b.language, 'en'));
};

describe('a metered line', () => {
  it('counts each of its translations for the member, as one message', async () => {
    const recorded: unknown[] = [];
    const services = servicesWith(async (...given) => void recorded.push(given));
    expect(await translated(services)).toEqual([
      { language: 'fr', text: 'fr: hello' },
      { language: 'ja', text: 'ja: hello' },
    ]);
    expect(recorded).toEqual([
      [space, 'm', { characters: 10, audioMs: 0, chatTokens: 0, messages: 1 }],
    ]);
  });

  it('is refused beyond the limit of the space, language by language', async () => {
    const services = servicesWith(async () => undefined, 3);
    expect(await translated(services)).toEqual([
      { language: 'fr', text: '', error: 'rate-limited' },
      { language: 'ja', text: '', error: 'rate-limited' },
    ]);
  });

  it('is translated into as many languages as fit', async () => {
    const services = servicesWith(async () => undefined, 9);
    expect(await translated(services)).toEqual([
      { language: 'fr', text: 'fr: hello' },
      { language: 'ja', text: '', error: 'rate-limited' },
    ]);
  });

  it('is translated though its use cannot be recorded', async () => {
    const services = servicesWith(() => Promise.reject(new Error('disk full')));
    expect(await translated(services)).toHaveLength(2);
  });
});
