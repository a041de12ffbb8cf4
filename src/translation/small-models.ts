/** Engines that are small whatever their models are called, by the names that their models begin with. */
const ENGINES: Readonly<Record<string, string>> = { bergamot: 'Bergamot', apertium: 'Apertium' };
/** Parameters in a model's name: `smollm2-135m-instruct`, `gemma-3-1b-it`. */
const PARAMETERS = /(?<![a-z\d.])(?<count>\d{1,4}(?:\.\d+)?)(?<unit>[mb])(?![a-z\d])/i;
/** Parameters in billions above which language models mostly keep to what they are told. */
const MOST_BILLIONS = 4;

const smallName = (model: string): string | undefined => {
  const engine = ENGINES[model.split('-')[0] ?? ''];
  if (engine !== undefined) return engine;
  const { count, unit } = PARAMETERS.exec(model)?.groups ?? {};
  if (count === undefined) return undefined;
  const billions = unit?.toLowerCase() === 'm' ? Number(count) / 1_000 : Number(count);
  return billions <= MOST_BILLIONS ? model : undefined;
};

/**
 * The names of the small models among those that translated, as people know them. A small model makes
 * mistakes that readers should know of.
 *
 * @param model the name in a reply; several are joined by `+`
 */
export const smallModels = (model: string): readonly string[] => [
  ...new Set(model.split('+').flatMap((each) => smallName(each) ?? [])),
];
