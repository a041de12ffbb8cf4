import { pseudoLocalise } from '../../src/text/language/pseudo-locale.ts';
import type { CreateEngine } from '../engine.ts';

const NAME = 'pseudo';
const TARGET = 'en-xa';

/**
 * Creates the engine of the pseudo-locale, which marks the text that a translation would change.
 */
export const createEngine: CreateEngine = () => ({
  name: NAME,
  serves: ['translation'],
  isForDevelopers: true,
  rank: 1,
  concurrent: 16,
  abilities: async () => ({
    translation: {
      translates: (_from, to) => to.toLowerCase() === TARGET,
      translate: async function* ({ text }) {
        yield { text: pseudoLocalise(text), model: NAME };
      },
    },
  }),
  report: async () => ({
    name: NAME,
    serves: ['translation'],
    ready: true,
    detail: 'any language to en-XA, the pseudo-locale',
  }),
  remedy: () => undefined,
  [Symbol.asyncDispose]: async () => {},
});
