import type { ChatEngine, EngineAbilities, TranslationEngine } from '../../engine.ts';
import { GOOD_BILLIONS, LEAST_BILLIONS } from '../../../src/text/model-size.ts';
import { invalidRequest } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { commonCode } from '../../language.ts';
import { assertFits } from '../../language-model/token-budget.ts';
import { createTranslation } from '../../language-model/translation.ts';
import type { ChatModel } from './model.ts';
import type { LlamaProcesses } from './processes.ts';
import type { LlamaReply, VectorRequest } from './protocol.ts';
import { createLlamaServer, demand } from './server.ts';

/** A model, and what its record says. */
export interface InstalledLanguageModel {
  readonly model: ChatModel;
  /** BCP 47 codes; undefined where nothing is known of them. */
  readonly languages: readonly string[] | undefined;
}

/** Length of a text that surely fits any model that makes vectors: a token has a byte or more. */
const FITTING_BYTES = 256;
/** Order of preference beside other engines: Bergamot has 2, Apertium 3. */
const RANKS = { forTranslation: 2.6, good: 2.8, other: 9 } as const;

const rankOf = ({ model }: InstalledLanguageModel): number => {
  if (model.isForTranslation) return RANKS.forTranslation;
  return model.parameters >= GOOD_BILLIONS * 1e9 ? RANKS.good : RANKS.other;
};

const bySize = (a: InstalledLanguageModel, b: InstalledLanguageModel): number =>
  b.model.parameters - a.model.parameters;

/** Models that answer, the best first: those that were made to translate come last. */
const answering = (
  installed: readonly InstalledLanguageModel[],
): readonly InstalledLanguageModel[] =>
  installed
    .filter(({ model }) => !model.isForVectors)
    .toSorted(
      (a, b) => Number(a.model.isForTranslation) - Number(b.model.isForTranslation) || bySize(a, b),
    );

/** Models that translate, the best first. */
const translating = (
  installed: readonly InstalledLanguageModel[],
): readonly InstalledLanguageModel[] =>
  installed
    .filter(({ model }) => !model.isForVectors && model.parameters >= LEAST_BILLIONS * 1e9)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || bySize(a, b));

const knows = (languages: readonly string[] | undefined, language: string): boolean =>
  languages === undefined || languages.some((one) => commonCode(one) === commonCode(language));

/** The abilities of the models that can be used now, of which there may be none. */
export const createAbilities = (
  installed: readonly InstalledLanguageModel[],
  processes: LlamaProcesses,
): EngineAbilities => {
  const chatting = answering(installed);
  const [first] = chatting;
  if (!first) return {};
  const find = (models: readonly InstalledLanguageModel[], name: unknown) =>
    models.find(({ model }) => model.name === name)?.model;
  const modelOf = (name: unknown): ChatModel => find(chatting, name) ?? first.model;
  const server = createLlamaServer(processes, modelOf);

  const chat: ChatEngine = {
    models: chatting.map(({ model }) => model.name),
    complete: async (request, signal) => {
      const model = modelOf(request.model);
      assertFits(request, processes.contextTokensOf(model));
      const body = Buffer.from(request.withModel(model.name)).toString('utf8');
      const parsed = parseJson(body, () => invalidRequest('The request is not JSON.'));
      const fields = parsed as Record<string, unknown>;
      return server.send('/chat/completions', fields, signal, Infinity);
    },
    embed: async function* ({ texts, model: wished }, signal, turn) {
      const forVectors = installed.filter(({ model }) => model.isForVectors);
      const model = find(installed, wished) ?? (forVectors[0] ?? first).model;
      const ask = async (kind: VectorRequest['kind'], text: string): Promise<LlamaReply> => {
        using _ = await turn();
        return await processes.call(model, { kind, text }, signal);
      };
      for (const text of texts)
        if (Buffer.byteLength(text) > FITTING_BYTES) demand(await ask('measure', text), 'measured');
      for (const text of texts) {
        const { vector, tokens } = demand(await ask('vector', text), 'vector');
        yield { model: model.name, vector, tokens };
      }
    },
  };

  const translators = translating(installed);
  const [best] = translators;
  if (!best) return { chat };
  const bestFor = (from: string, to: string): InstalledLanguageModel | undefined =>
    translators.find(({ languages }) => [from, to].every((code) => knows(languages, code)));
  const names = translators.map(({ model }) => model.name);
  const lengths = translators.map(
    ({ model }) => [model.name, processes.contextTokensOf(model)] as const,
  );
  const translation: TranslationEngine = {
    ...createTranslation(server, ({ from, to }) => (bestFor(from, to) ?? best).model.name, {
      listed: new Set(names),
      contextTokens: new Map(lengths),
      familyOf: (name) => find(installed, name)?.names ?? name,
    }),
    translates: (from, to) => to.toLowerCase() !== 'en-xa' && bestFor(from, to) !== undefined,
    rank: (from, to) => rankOf(bestFor(from, to) ?? best),
  };
  return { chat, translation };
};
