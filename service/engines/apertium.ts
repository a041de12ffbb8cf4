import type { CreateEngine, TranslationEngine } from '../engine.ts';
import { findMode, readModes, type Mode } from './apertium/modes.ts';
import { findPackage } from './apertium/packages.ts';
import { createPool } from './apertium/pool.ts';
import { meaningsIn } from '../../src/text/protect/meanings.ts';
import { translateWithSlots } from '../translation/with-slots.ts';
import { findRanges, type WordRun } from '../translation/markup.ts';
import { translateInPieces } from '../translation/pieces.ts';

const NAME = 'apertium';
const CONCURRENT = 4;

/** Longest text of one pipeline call, so that other calls get their turn. */
const LONGEST_PIECE_CHARACTERS = 2_000;

/**
 * Creates the engine for rule-based translation between related languages with the Apertium
 * programs.
 */
export const createEngine: CreateEngine = ({ config }) => {
  const modes: Promise<ReadonlyMap<string, Mode>> = readModes(config.SERVICE_APERTIUM_MODES);
  const pool = createPool({
    maxPipelines: 2 * CONCURRENT,
    callTimeoutMs: 15_000,
    idleMs: 5 * 60_000,
  });

  const build = (installed: ReadonlyMap<string, Mode>): TranslationEngine => ({
    translates: (from, to) => findMode(installed, from, to) !== undefined,
    takesTurns: true,
    translate: async function* ({ text, tokens, from, to }, signal, turn) {
      const mode = findMode(installed, from, to);
      if (!mode) return;
      const model = `${NAME}-${mode.name}`;
      const runs = (given: readonly WordRun[]): Promise<readonly WordRun[]> =>
        pool.translate(mode, given, signal);
      const words = async (texts: readonly string[]): Promise<readonly string[]> => {
        const translated: string[] = [];
        for (const each of texts)
          translated.push(findRanges(await runs([{ text: each, parts: [] }])).text);
        return translated;
      };
      const translate = async (core: string): Promise<string> => {
        using _ = await turn?.();
        const translator = { words, runs, reads: () => true };
        return await translateWithSlots(core, meaningsIn(core, tokens), translator);
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
    rank: 3,
    concurrent: CONCURRENT,
    abilities: async () => {
      const installed = await modes;
      return installed.size > 0 ? { translation: build(installed) } : {};
    },
    report: async () => {
      const installed = await modes;
      const names = [...new Set([...installed.values()].map(({ name }) => name))];
      return {
        name: NAME,
        serves: ['translation'],
        ready: installed.size > 0,
        detail: installed.size > 0 ? names.join(', ') : 'apt-get install -y apertium-eng-spa',
      };
    },
    remedy: (need) => {
      if (need.ability !== 'translation') return undefined;
      const found = findPackage(need.from, need.to);
      return found === undefined ? undefined : `apt-get install -y ${found}`;
    },
    [Symbol.asyncDispose]: async () => pool.end(),
  };
};
