import type { ServiceClient } from './api/client.ts';
import { toAppError } from './errors.ts';
import type { Space } from './model/place.ts';
import type { ServiceStatus } from './model/service-status.ts';

/** A service elsewhere tells nothing of its engines: it is one line of the table itself. */
const remoteReport = (ready: boolean, detail: string): ServiceStatus => ({
  builtIn: false,
  reachable: ready,
  engines: [
    {
      name: 'SPEECH_API_URL',
      serves: ['speech', 'recognition', 'translation', 'chat'],
      ready,
      detail,
    },
  ],
});

/** Asks a service elsewhere whether it answers a space. */
export const remoteStatus = async (
  client: ServiceClient,
  space: Space,
  signal: AbortSignal,
): Promise<ServiceStatus> => {
  try {
    const voices = await client.voices({
      lane: 'ambient',
      space,
      signal,
      hasFallback: true,
    });
    return remoteReport(true, `${voices.length} voices`);
  } catch (thrown) {
    return remoteReport(false, toAppError(thrown).message);
  }
};
