import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readWeights, type Weights } from '../../audio/speech-detector/weights.ts';
import type { Log } from '../../telemetry/log.ts';

/** The model in an optional package: see `docs/decisions/022-speech-detector.md`. */
const MODEL = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';

/** Loads the weights of the detector of speech; undefined, with a line in the log, where they are missing. */
export const loadSpeechWeights = async (log: Pick<Log, 'warn'>): Promise<Weights | undefined> => {
  try {
    const weights = readWeights(await readFile(createRequire(import.meta.url).resolve(MODEL)));
    if (weights) return weights;
    log.warn('noises are recognised too: the model of the speech detector has another form');
  } catch (err) {
    log.warn({ err }, 'noises are recognised too: the package @ricky0123/vad-web is missing');
  }
  return undefined;
};
