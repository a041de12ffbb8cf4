import { orAborted } from '../async/abort.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Voice } from '../api/contract.ts';
import { toAppError } from '../errors.ts';

const FRESH_MS = 300_000;

export interface VoiceList {
  /**
   * Resolves with the service's voices: one request for all simultaneous callers, kept for five
   * minutes.
   */
  get(signal: AbortSignal): Promise<readonly Voice[]>;
}

export const createVoiceList = (
  client: Pick<ServiceClient, 'voices'>,
  now: () => number,
): VoiceList => {
  let kept: { readonly voices: Promise<readonly Voice[]>; readonly untilMs: number } | undefined;
  return {
    async get(signal) {
      if (!kept || now() >= kept.untilMs) {
        // The first caller cannot abort it: others may wait for it.
        const voices = client.voices({ signal: new AbortController().signal });
        kept = { voices, untilMs: now() + FRESH_MS };
        voices.catch(() => {
          if (kept?.voices === voices) kept = undefined;
        });
      }
      try {
        return await orAborted(kept.voices, signal);
      } catch (thrown) {
        throw toAppError(thrown);
      }
    },
  };
};
