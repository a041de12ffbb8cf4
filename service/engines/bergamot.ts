import { meaningsIn } from '../../src/text/protect/meanings.ts';
import { createChild } from '../../src/process/child.ts';
import { type CreateEngine, type TranslationEngine, isPackageInstalled } from '../engine.ts';
import { followInstalled, inspectFolders } from '../models/installed.ts';
import { translateInPieces } from '../translation/pieces.ts';
import { BERGAMOT_PACKAGE } from './bergamot/library.ts';
import { findTranslationModel, type TranslationModel, findRoute } from './bergamot/model.ts';
import type { BergamotRequest } from './bergamot/worker.ts';

const NAME = 'bergamot';

/** Longest time of a call, loading two models included. */
const CALL_TIMEOUT_MS = 60_000;
const CALLS_PER_CHILD = 20_000;
/** Idle time after which the child, which holds the loaded models, is stopped. */
const IDLE_MS = 15 * 60_000;

/** Longest text of one call, so that other calls get their turn. */
const LONGEST_PIECE_CHARACTERS = 1_000;

/** Creates the engine for neural translation with installed models, in a process. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const ready = isPackageInstalled(BERGAMOT_PACKAGE);
  const current = followInstalled(config.SERVICE_MODELS, (folders) =>
    inspectFolders(folders, findTranslationModel),
  );
  const child = createChild<BergamotRequest, string>({
    name: NAME,
    file: new URL('./bergamot/worker.ts', import.meta.url),
    log,
    callTimeoutMs: CALL_TIMEOUT_MS,
    callsPerChild: CALLS_PER_CHILD,
    idleMs: IDLE_MS,
  });

  const build = (models: readonly TranslationModel[]): TranslationEngine => ({
    translates: (from, to) => findRoute(models, from, to) !== undefined,
    takesTurns: true,
    translate: async function* ({ text, tokens, from, to }, signal, turn) {
      const route = findRoute(models, from, to);
      if (!route) return;
      const model = `${NAME}-${route.map((one) => one.from).join('-')}-${route.at(-1)?.to}`;
      const translate = async (core: string): Promise<string> => {
        using _ = await turn?.();
        return await child.call({ route, text: core, tokens: meaningsIn(core, tokens) }, signal);
      };
      for await (const piece of translateInPieces(
        { text, from, to },
        LONGEST_PIECE_CHARACTERS,
        translate,
      ))
        yield { text: piece, model };
    },
  });

  return {
    name: NAME,
    serves: ['translation'],
    rank: 2,
    // One process, which makes one call at a time; the next one waits there.
    concurrent: 2,
    abilities: async () => {
      if (!ready) return {};
      const { found: models } = await current();
      return models.length > 0 ? { translation: build(models) } : {};
    },
    report: async () => {
      const { found, faults } = await current();
      const pairs = found.map(({ from, to }) => `${from}-${to}`);
      const offer = [...(pairs.length > 0 ? [pairs.join(', ')] : []), ...faults].join('; ');
      return {
        name: NAME,
        serves: ['translation'],
        ready: ready && found.length > 0,
        detail: ready
          ? offer || 'npm run setup'
          : `npm install --include=optional, which adds ${BERGAMOT_PACKAGE}`,
      };
    },
    remedy: ({ ability }) => (ability === 'translation' ? 'run npm run setup' : undefined),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
};
