import type { TranslateRich } from '../i18n/texts.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { billionsIn } from '../text/model-size.ts';
import { quotedWords } from '../text/quoted-words.ts';

/** Engines that are small whatever their models are called, by the names that their models begin with. */
const ENGINES: ReadonlyMap<string, string> = new Map([
  ['bergamot', 'Bergamot'],
  ['apertium', 'Apertium'],
  ['libretranslate', 'LibreTranslate'],
]);
/** Parameters in billions above which language models mostly keep to what they are told. */
const MOST_BILLIONS = 4;

const smallName = (model: string): string | undefined => {
  const engine = ENGINES.get(model.split('-')[0] ?? '');
  if (engine !== undefined) return engine;
  return (billionsIn(model) ?? Infinity) <= MOST_BILLIONS ? model : undefined;
};

/**
 * The names of the small models among those that translated, as people know them. A small model makes
 * mistakes that readers should know of.
 *
 * @param models the names in replies; several in one are joined by `+`
 */
export const smallModels = (models: readonly string[]): readonly string[] => [
  ...new Set(models.flatMap((each) => each.split('+')).flatMap((each) => smallName(each) ?? [])),
];

/** Names the small models among those that translated, for readers; undefined where none is small. */
export const smallModelsNote = (
  models: readonly string[],
  t: TranslateRich,
): RichText | undefined => {
  const engines = smallModels(models).map((each) => quotedWords(each));
  return engines.length > 0
    ? t('translate.small-engine', { engines: { list: engines } })
    : undefined;
};
