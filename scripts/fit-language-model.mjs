/**
 * Fits the weights of language detection to the chat lines of test/fixtures/chat/tuned.json and
 * writes src/text/language/model.json: `node scripts/fit-language-model.mjs`.
 *
 * The model is a multinomial logistic regression: a weight for each feature, and for each language
 * a bias and an addition to the weight of its n-grams. Gradient descent (Adam) with L2
 * regularisation; nothing is random.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES, measureText } from '../src/text/language/features.ts';
import { scriptsOf } from '../src/text/language/scripts.ts';
import { withoutPlainSpans } from '../src/text/plain-spans.ts';
import { MAIN_LANGUAGES, readCorpus } from '../test/fakes/chat-corpus.ts';

const MODEL = join(import.meta.dirname, '../src/text/language/model.json');

const EPOCHS = 400;
const RATE = 0.05;
const [MOMENTUM, SCALE_MOMENTUM] = [0.9, 0.999];
/** Strength of the regularisation of weights, biases and additions. */
const PULLS = { weight: 3e-6, bias: 3e-4, addition: 7e-4 };

/** How often the lines of the main languages count. */
const MAIN_WEIGHT = 3;

/** The lines that need a model, each with its candidates and what is measured for them. */
const rows = readCorpus('tuned').flatMap(({ written, text }) => {
  const sample = withoutPlainSpans(text);
  const candidates = scriptsOf(sample)[0]?.script.languages ?? [];
  const right = candidates.indexOf(written);
  if (right < 0 || candidates.length === 1) return [];
  const measured = measureText(sample, candidates).map(({ features }) =>
    Float64Array.from(FEATURES, (feature) => features[feature] ?? 0),
  );
  return [{ candidates, right, measured, weight: MAIN_LANGUAGES.has(written) ? MAIN_WEIGHT : 1 }];
});
const totalWeight = rows.reduce((sum, { weight }) => sum + weight, 0);
const languages = [...new Set(rows.flatMap(({ candidates }) => candidates))].toSorted();
const place = new Map(languages.map((language, index) => [language, index]));

const BIAS = FEATURES.length;
const ADDITION = BIAS + languages.length;
const parameters = new Float64Array(ADDITION + languages.length);
parameters[0] = 3;

const scoreOf = (features, language) =>
  features.reduce(
    (sum, value, index) => sum + parameters[index] * value,
    parameters[BIAS + language] + parameters[ADDITION + language] * features[0],
  );

const gradientOf = () => {
  const gradient = new Float64Array(parameters.length);
  for (const { candidates, right, measured, weight } of rows) {
    const places = candidates.map((language) => place.get(language));
    const scores = measured.map((features, index) => scoreOf(features, places[index]));
    const highest = Math.max(...scores);
    const likelihoods = scores.map((score) => Math.exp(score - highest));
    const total = likelihoods.reduce((sum, each) => sum + each, 0);
    for (const [index, features] of measured.entries()) {
      const miss = likelihoods[index] / total - (index === right ? 1 : 0);
      const error = (miss * weight) / totalWeight;
      for (const [feature, value] of features.entries()) gradient[feature] += error * value;
      gradient[BIAS + places[index]] += error;
      gradient[ADDITION + places[index]] += error * features[0];
    }
  }
  for (const [index, value] of parameters.entries()) {
    const pull = index < BIAS ? PULLS.weight : index < ADDITION ? PULLS.bias : PULLS.addition;
    gradient[index] += pull * value;
  }
  return gradient;
};

const means = new Float64Array(parameters.length);
const squares = new Float64Array(parameters.length);
for (let epoch = 1; epoch <= EPOCHS; epoch += 1)
  for (const [index, slope] of gradientOf().entries()) {
    means[index] = MOMENTUM * means[index] + (1 - MOMENTUM) * slope;
    squares[index] = SCALE_MOMENTUM * squares[index] + (1 - SCALE_MOMENTUM) * slope ** 2;
    const mean = means[index] / (1 - MOMENTUM ** epoch);
    const scale = Math.sqrt(squares[index] / (1 - SCALE_MOMENTUM ** epoch)) + 1e-8;
    parameters[index] -= (RATE * mean) / scale;
  }

const rounded = (value) => Number(value.toFixed(3));
const model = {
  weights: Object.fromEntries(FEATURES.map((name, index) => [name, rounded(parameters[index])])),
  languages: Object.fromEntries(
    languages.map((language, index) => [
      language,
      [rounded(parameters[BIAS + index]), rounded(parameters[ADDITION + index])],
    ]),
  ),
};
writeFileSync(MODEL, `${JSON.stringify(model, undefined, 2)}\n`);
