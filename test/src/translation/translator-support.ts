import { beforeEach } from 'vitest';
import type { CallOptions } from '../../../src/api/caller.ts';
import type { TranslationInput } from '../../../src/api/translation.ts';
import type { GlossaryTerm } from '../../../src/model/glossary.ts';
import { indexTerms } from '../../../src/text/terms/term-index.ts';
import { createLanguageHistory } from '../../../src/translation/language-history.ts';
import {
  type Translation,
  type TranslationRequest,
  createTranslator,
} from '../../../src/translation/translator.ts';
import { tree, written } from '../../fakes/markup.ts';

export const SPACE = { platform: 'test', id: 'space' };
export const signal = new AbortController().signal;

/** What a translator's service and glossary do, and what the service was asked. */
interface Script {
  asked: TranslationInput[];
  /** Those of each call of the service. */
  options: CallOptions[];
  terms: GlossaryTerm[];
  engine: (text: string, call: number) => string;
}

const fresh = (): Script => ({
  asked: [],
  options: [],
  terms: [],
  engine: (text) => `¡${text}!`,
});

/** A translator over a scripted service, which begins anew with each test of a file. */
export const useTranslator = () => {
  const script = fresh();
  beforeEach(() => void Object.assign(script, fresh()));

  const answer = (input: TranslationInput, options: CallOptions): string => {
    script.asked.push(input);
    script.options.push(options);
    return script.engine(input.text, script.asked.length);
  };
  const translator = createTranslator({
    client: {
      translate: async (input, options) => answer(input, options),
      async *translateStream(input, options) {
        const whole = answer(input, options);
        yield whole.slice(0, whole.length / 2);
        yield whole;
        return whole;
      },
    },
    glossary: {
      inText: async (_, text) => ({
        terms: script.terms,
        occurrences: indexTerms(script.terms).find(text),
      }),
    },
    languages: createLanguageHistory(),
  });

  /** Translates a text as Discord writes it; its translation is written in the same way. */
  const translate = async ({
    text,
    ...request
  }: Omit<Partial<TranslationRequest>, 'text'> & { readonly text: string }): Promise<
    Omit<Translation, 'text'> & { text: string; seen: string[] }
  > => {
    const states = translator.translate(
      { to: 'ja', place: SPACE, lane: 'interactive', ...request, text: tree(text) },
      signal,
    );
    const seen: string[] = [];
    for (;;) {
      const { done, value } = await states.next();
      if (done) return { ...value, text: written(value.text), seen };
      seen.push(written(value()));
    }
  };
  return { script, translator, translate };
};
