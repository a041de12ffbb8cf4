import type { ServiceClient } from '../../api/client.ts';
import type { Realtime } from '../../api/realtime/index.ts';
import type { Clock } from '../../async/clock.ts';
import type { RecogniserFactory } from '../../ports/recogniser.ts';
import { createBatchRecogniser } from './batch-recogniser.ts';
import { createRealtimeRecogniser } from './realtime-recogniser.ts';

/**
 * Creates what makes the recognisers of voice rooms and dictations over the service: by its WebSocket path where words are
 * wanted before the end of an utterance and that path is used, otherwise by requests.
 */
export const createRecogniserFactory =
  (client: ServiceClient, realtime: Realtime | undefined, clock: Clock): RecogniserFactory =>
  ({ partials, space }) => {
    const batch = createBatchRecogniser(client, {
      space,
      ...(partials ? {} : { partialEveryMs: 0 }),
    });
    const recognition = partials ? realtime?.recognition : undefined;
    return recognition ? createRealtimeRecogniser({ recognition, space, batch, clock }) : batch;
  };
