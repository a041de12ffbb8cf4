import type { ServiceClient } from '../api/client.ts';
import { UnreadableKeyError } from '../api/keys.ts';
import { ServiceError } from '../api/service-error.ts';
import type { ServiceState } from '../command/services.ts';
import { toAppError, type AppError } from '../errors.ts';
import type { Space } from '../model/place.ts';

/** A service elsewhere tells nothing of its engines: it is one line of the table itself. */
const remoteReport = (ready: boolean, detail: string): ServiceState => ({
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

/** True for an error that is about the key, and no outage. */
const isRefusal = (error: AppError): boolean =>
  error instanceof ServiceError ? error.status < 500 : error instanceof UnreadableKeyError;

/** Asks a service elsewhere whether it answers a space. */
export const remoteStatus = async (
  client: ServiceClient,
  space: Space,
  signal: AbortSignal,
): Promise<ServiceState> => {
  try {
    const voices = await client.voices({
      lane: 'ambient',
      space,
      signal,
      hasFallback: true,
    });
    return remoteReport(true, `${voices.length} voices`);
  } catch (thrown) {
    const error = toAppError(thrown);
    const report = remoteReport(false, error.message);
    return isRefusal(error) ? { ...report, reachable: true, refusal: error } : report;
  }
};
