import type { ServiceClient } from '../api/client.ts';
import type { Log } from '../log.ts';
import type { Clock } from './clock.ts';
import { createBatchRecogniser } from './hear/batch-recogniser.ts';
import { createEar, type Ear } from './hear/ear.ts';
import { createHints, type HintsParts } from './hear/hints.ts';
import type { Recogniser } from './hear/recogniser.ts';
import type { HearingListener } from './heard.ts';
import type { Manner } from './purpose.ts';

export interface HearingParts extends HintsParts {
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
export const createEarOpener = (parts: HearingParts) => {
  const { client, clock, log } = parts;
  const hints = createHints(parts);
  /** Lines of one ear may stand beside those of the one before. */
  let lastId = 0;
  const nextId = (): number => (lastId += 1);
  return ({ purpose, partials, pauseMs }: Omit<Manner, 'rule'>, listener: HearingListener): Ear =>
    createEar({
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
