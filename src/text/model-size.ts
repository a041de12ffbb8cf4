/** Parameters in a model's name: `smollm2-135m-instruct`, `gemma-3-1b-it`. */
const PARAMETERS = /(?<![a-z\d.])(?<count>\d{1,4}(?:\.\d+)?)(?<unit>[mb])(?![a-z\d])/i;

/** Families of models that were made to translate. */
const TRANSLATES = /translate[- ]?gemma|(?:hy|hunyuan)[- ]?mt/i;

/** The parameters of a model in billions, as far as its name tells them. */
export const billionsIn = (model: string): number | undefined => {
  const { count, unit } = PARAMETERS.exec(model)?.groups ?? {};
  if (count === undefined) return undefined;
  return unit?.toLowerCase() === 'm' ? Number(count) / 1_000 : Number(count);
};

/** True for the name of a model that was made to translate. */
export const isMadeToTranslate = (names: string): boolean => TRANSLATES.test(names);

/** Parameters, in billions, from which a model keeps to the form of a translation, and from which it translates well. */
export const LEAST_BILLIONS = 1;
export const GOOD_BILLIONS = 4;
