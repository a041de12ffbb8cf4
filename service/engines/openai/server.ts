import { realClock, waitUntil, type Clock } from '../../../src/async/clock.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import {
  billionsIn,
  GOOD_BILLIONS,
  isMadeToTranslate,
  LEAST_BILLIONS,
} from '../../../src/text/model-size.ts';
import type { Ability, EngineConfig } from '../../config.ts';
import type { EngineAbilities } from '../../engine.ts';
import { createTranslation } from '../../language-model/translation.ts';
import { createChat } from './chat.ts';
import { followed } from '../../back-end/followed.ts';
import type { Upstream } from '../../back-end/http.ts';
import {
  chooseModels,
  learnContextTokens,
  listModels,
  type ListedModel,
  type Models,
} from './models.ts';
import { probeModel, type ProbeResult } from './probe.ts';
import { createRecognition } from './recognition.ts';
import { createSpeech } from './speech.ts';

/** Age at which the list of models is requested again. */
const LIST_FRESH_MS = 60_000;
/** Longest wait for a model's first answer before it is offered untried: its server may have to load it. */
const LONGEST_TRY_MS = 1_000;

const idsOf = (listed: readonly ListedModel[]): string => listed.map(({ id }) => id).join('\n');

/** Order of preference of a small model: after the other engines. */
const LAST_RANK = 9;

/** True where the operator chose a server or a model for translation: they may know more of it than two words and its name tell. */
const isChosen = (config: EngineConfig): boolean =>
  (config.SERVICE_OPENAI_TRANSLATION_MODEL ?? config.SERVICE_OPENAI_TRANSLATION_URL) !== undefined;

const isSmallerThan = (billions: number, model = ''): boolean =>
  !isMadeToTranslate(model) && (billionsIn(model) ?? Infinity) < billions;

const createAbilities = (
  upstream: Upstream,
  models: Models,
  config: EngineConfig,
): EngineAbilities => {
  const { chat, translation, recognition, speech } = models;
  const voices = config.SERVICE_OPENAI_TTS_VOICES;
  const isLast = !isChosen(config) && isSmallerThan(GOOD_BILLIONS, translation);
  const rank = isLast ? { rank: () => LAST_RANK } : {};
  return {
    ...(chat ? { chat: createChat(upstream, chat, models) } : {}),
    ...(translation
      ? { translation: { ...createTranslation(upstream, () => translation, models), ...rank } }
      : {}),
    ...(recognition ? { recognition: createRecognition(upstream, recognition) } : {}),
    ...(speech ? { speech: createSpeech(upstream, speech, voices) } : {}),
  };
};

interface State {
  readonly ids: string;
  readonly models: Models;
  /** The abilities, which remember what the server refuses: they are kept while its models stay the same. */
  readonly abilities: EngineAbilities;
  readonly tried: Map<string, ProbeResult>;
}

export interface KnownServer {
  readonly models: Models;
  readonly abilities: EngineAbilities;
  /** Sentences about models that serve nothing. */
  readonly faults: readonly string[];
}

/** Follows which models a server has for some abilities, and which of them are of use. */
export const followServer = (
  upstream: Upstream,
  serves: readonly Ability[],
  config: EngineConfig,
  log: Log,
  clock: Clock = realClock,
) => {
  const create = (listed: readonly ListedModel[]): State => {
    const models = chooseModels(listed, config, serves);
    const abilities = createAbilities(upstream, models, config);
    return { ids: idsOf(listed), models, abilities, tried: new Map() };
  };
  let state = create([]);

  const tryModels = async ({ models, abilities, tried }: State): Promise<void> => {
    for (const model of new Set([models.translation, models.chat])) {
      if (model === undefined || tried.has(model)) continue;
      const chosen = model === models.translation ? abilities.translation : undefined;
      const result = await probeModel(chosen ?? createTranslation(upstream, () => model, models));
      if (result !== undefined) tried.set(model, result);
    }
  };

  const learn = async (about: State): Promise<void> => {
    await Promise.all([learnContextTokens(upstream, about.models), tryModels(about)]);
    // Some know the length only of a model that they have loaded.
    await learnContextTokens(upstream, about.models);
  };

  const list = followed(
    async () => {
      const listed = await listModels(upstream).catch((error: unknown) => {
        log.debug({ engine: 'openai', err: error }, 'the server does not list its models');
        throw error;
      });
      // A server that was away may have other models of the same names.
      if (!lists() || state.ids !== idsOf(listed)) state = create(listed);
      const { models, tried } = state;
      const isTried = (model: string | undefined) => model === undefined || tried.has(model);
      if (![models.translation, models.chat].every(isTried))
        await waitUntil(clock, clock.nowMs() + LONGEST_TRY_MS, learn(state));
      return true;
    },
    LIST_FRESH_MS,
    clock,
  );
  const lists = (): boolean => list.known() === true && list.fault() === undefined;

  const known = (): KnownServer => {
    const { models, abilities, tried } = state;
    const isNamed = config.SERVICE_OPENAI_TRANSLATION_MODEL !== undefined;
    const resultOf = (ability: 'chat' | 'translation'): ProbeResult => {
      const result = tried.get(models[ability] ?? '');
      const isTiny = !isChosen(config) && isSmallerThan(LEAST_BILLIONS, models[ability]);
      return result !== 'not for chat' && isTiny ? 'not for translation' : result;
    };
    const unfit = (['chat', 'translation'] as const).filter((ability) => {
      const result = resultOf(ability);
      return (
        result === 'not for chat' ||
        (result === 'not for translation' && ability === 'translation' && !isNamed)
      );
    });
    return {
      models,
      abilities: Object.fromEntries(
        Object.entries(abilities).filter(([name]) => unfit.every((ability) => ability !== name)),
      ),
      faults: unfit.map((ability) => `${models[ability]} is ${resultOf(ability)}`),
    };
  };

  return {
    /** True when the last request for the list of models succeeded. */
    lists,
    /** Returns what is known now; waits for the list where that is nothing. */
    current: async (): Promise<KnownServer> => {
      const isAsked = (): boolean => lists() || list.fault() !== undefined;
      await list.current(() => isAsked() && Object.keys(known().abilities).length > 0);
      return known();
    },
  };
};
