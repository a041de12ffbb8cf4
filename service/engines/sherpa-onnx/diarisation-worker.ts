import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { closeStandardError, serveParent } from '../../../src/process/serve-parent.ts';

/** The part of the library's `OfflineSpeakerDiarizationConfig` that names files, with absolute paths. */
export interface DiarisationConfig {
  readonly segmentation: { readonly pyannote: { readonly model: string } };
  readonly embedding: { readonly model: string };
}

/** The part of the library's types (`types.js`, 1.13) that is used here. */
interface Sherpa {
  readonly OfflineSpeakerDiarization: new (config: object) => {
    readonly sampleRate: number;
    process(samples: Float32Array): unknown;
  };
}

const turns = z.array(
  z.object({ start: z.number(), end: z.number(), speaker: z.int().nonnegative() }),
);
/** Turns in seconds, with numbers of speakers from 0. */
export type DiarisationReply = z.infer<typeof turns>;

const { segmentation, embedding } = JSON.parse(process.argv[2] ?? '{}') as DiarisationConfig;
const run = {
  numThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  provider: 'cpu',
  debug: 0,
};
const sherpa = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
const diarisation = new sherpa.OfflineSpeakerDiarization({
  segmentation: { ...segmentation, ...run },
  embedding: { ...embedding, ...run },
  // The library's own defaults: as many speakers as there are, whose voices differ by this.
  clustering: { numClusters: -1, threshold: 0.5 },
  minDurationOn: 0.3,
  minDurationOff: 0.5,
});
closeStandardError();

serveParent(async (samples: Float32Array): Promise<DiarisationReply> =>
  turns.parse(diarisation.process(samples)),
);
