import type { ServiceClient } from '../../api/client.ts';
import type { Log } from '../../log.ts';
import type { Clock } from '../../async/clock.ts';
import { createBatchRecogniser } from './batch-recogniser.ts';
import { createSttPipeline, type SttPipeline } from './pipeline.ts';
import { createHints, type HintsDeps } from './hints.ts';
import type { Recogniser } from '../../ports/recogniser.ts';
import type { TranscriptListener } from './transcript-emitter.ts';
import type { ListeningMode } from '../listening-mode.ts';

export interface PipelineFactoryDeps extends HintsDeps {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** For what only voices matter: nothing is sent to anybody. */
const writesNothing: Recogniser = {
  growEveryMs: 0,
  begin: () => ({
    grow: () => undefined,
    end: async () => ({ text: '', language: '', confidence: 0 }),
  }),
};

/** Opens ears that know the room. */
export const createPipelineFactory = (deps: PipelineFactoryDeps) => {
  const { client, clock, log } = deps;
  const hints = createHints(deps);
  /** Lines of one ear may stand beside those of the one before. */
  let lastId = 0;
  const nextId = (): number => (lastId += 1);
  return (
    { purpose, partials, pauseMs }: Omit<ListeningMode, 'rule'>,
    listener: TranscriptListener,
  ): SttPipeline =>
    createSttPipeline({
      recogniser:
        purpose === 'voices'
          ? writesNothing
          : createBatchRecogniser({ client }, partials ? {} : { partialEveryMs: 0 }),
      clock,
      listener,
      hints,
      options: { nextId, ...(pauseMs === undefined ? {} : { hangoverMs: pauseMs }) },
      log,
    });
};
