import { bytesOf, primary, type CatalogueModel } from './catalogue.ts';
import type { Machine, ModelGap, ModelSize } from '../../src/model/local-models.ts';

/** Language through which translation models are joined. */
const PIVOT = 'en';

/** Share of the machine's memory for all models that are chosen for hearing and for answering. */
const MEMORY_SHARE = 0.6;
/** Memory of a language model that a core is enough for: of 1 GB it reads a token in 12 ms, and writes one in 0.1 s. */
const CHAT_BYTES_PER_CORE = 1e9;
/** Share of the cores that recognition of one speaker may take. */
const CORE_SHARE = 0.5;
/** Most memory of a model that streams or answers, where small ones are asked for. */
const SMALL_BYTES = 700e6;
/**
 * Memory of a process with its library and what it works on, and bytes for each byte of the download, where the
 * catalogue has no figure: through the measurements of decision 11.
 */
const MEMORY = {
  recognition: [100e6, 2.2],
  speech: [200e6, 1.5],
  translation: [200e6, 5],
  chat: [300e6, 1.15],
  diarisation: [100e6, 2.2],
} as const satisfies Record<CatalogueModel['ability'], readonly [base: number, factor: number]>;

/** Memory of a process that has the model loaded, about. */
export const memoryOf = (model: CatalogueModel): number => {
  const [baseBytes, factor] = MEMORY[model.ability];
  return model.memoryBytes ?? baseBytes + factor * bytesOf(model);
};

const understands = ({ languages }: CatalogueModel, language: string): boolean =>
  languages.some((one) => primary(one) === primary(language));

/** The models that together understand the most of the languages: each time the first that adds most. */
const cover = (
  models: readonly CatalogueModel[],
  languages: readonly string[],
): readonly CatalogueModel[] => {
  const added = (model: CatalogueModel): number =>
    languages.filter((language) => understands(model, language)).length;
  const [most] = models.toSorted((a, b) => added(b) - added(a));
  if (!most || added(most) === 0) return [];
  const left = languages.filter((language) => !understands(most, language));
  return [most, ...cover(models, left)];
};

/** The first voice of a language; of the very region where one is asked for and there is one. */
const chooseVoice = (
  models: readonly CatalogueModel[],
  language: string,
): CatalogueModel | undefined =>
  models.find((model) => language.includes('-') && model.languages.includes(language)) ??
  models.find((model) => understands(model, language));

/**
 * Chooses models so that the languages can be heard, spoken, translated into each other and answered
 * in. The catalogue lists the best first. Recognisers that stream are chosen beside those for
 * recordings, as far as the machine's memory allows.
 *
 * @param machine undefined for one that carries everything
 */
export const chooseForLanguages = (
  catalogue: readonly CatalogueModel[],
  languages: readonly string[],
  size: ModelSize = 'fitting',
  machine?: Machine,
) => {
  const fits = (model: CatalogueModel): boolean =>
    !machine ||
    size === 'best' ||
    (memoryOf(model) <= MEMORY_SHARE * machine.memoryBytes &&
      (model.realTimeFactor ?? 0) <= CORE_SHARE * machine.cores &&
      (model.ability !== 'chat' || memoryOf(model) <= CHAT_BYTES_PER_CORE * machine.cores));
  const listed = catalogue.filter(fits);
  const bySize = listed.toSorted((a, b) => memoryOf(a) - memoryOf(b));
  const of = (ability: CatalogueModel['ability']): readonly CatalogueModel[] =>
    (size === 'small' ? bySize : listed).filter((model) => model.ability === ability);

  const chosen = new Set<CatalogueModel>();
  const gaps: ModelGap[] = [];
  const take = (model: CatalogueModel | undefined, gap: ModelGap): void => {
    if (model) chosen.add(model);
    else gaps.push(gap);
  };

  const recognisers = of('recognition');
  const forRecordings = recognisers.filter(({ isStreaming }) => isStreaming !== true);
  for (const model of cover(forRecordings, languages)) chosen.add(model);
  let leftBytes =
    MEMORY_SHARE * (machine?.memoryBytes ?? Infinity) -
    [...chosen].reduce((sum, model) => sum + memoryOf(model), 0);
  /** True for a model that is chosen, or fits beside those that are. */
  const fitsBeside = (model: CatalogueModel): boolean => {
    if (chosen.has(model)) return true;
    const most = size === 'small' ? Math.min(SMALL_BYTES, leftBytes) : leftBytes;
    return size === 'best' || memoryOf(model) <= most;
  };
  const addBeside = (model: CatalogueModel | undefined): void => {
    if (!model || chosen.has(model) || !fitsBeside(model)) return;
    chosen.add(model);
    leftBytes -= memoryOf(model);
  };
  const streaming = recognisers.filter((one) => one.isStreaming === true && fitsBeside(one));
  for (const model of cover(streaming, languages)) addBeside(model);

  const heard = [...chosen];
  const voices = catalogue.filter(({ ability }) => ability === 'speech');
  for (const language of languages) {
    if (!heard.some((model) => understands(model, language)))
      gaps.push({ need: 'recognition', language });
    take(chooseVoice(voices, language), { need: 'speech', language });
  }

  const chatModel = (
    isForTranslation: boolean,
    known: readonly string[],
  ): CatalogueModel | undefined =>
    of('chat').find(
      (one) =>
        (one.isForTranslation ?? false) === isForTranslation &&
        fitsBeside(one) &&
        known.every((language) => understands(one, language)),
    );
  const direction = (from: string, to: string): CatalogueModel | undefined => {
    const own = catalogue.find(
      ({ ability, languages: [source, target] }) =>
        ability === 'translation' && source === from && target === to,
    );
    if (own) return own;
    const translator = chatModel(true, [from, to]);
    addBeside(translator);
    return translator;
  };
  const distinct = [...new Set(languages.map(primary))];
  for (const language of distinct.length > 1 ? distinct : []) {
    if (language === PIVOT) continue;
    take(direction(language, PIVOT), { need: 'translation-from', language });
    take(direction(PIVOT, language), { need: 'translation-into', language });
  }
  addBeside(chatModel(false, languages));
  return {
    models: [...chosen],
    /** Needs that no model of the catalogue meets. */
    gaps,
  };
};
