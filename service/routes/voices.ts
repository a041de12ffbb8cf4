import { PATHS } from '../../src/api/contract.ts';
import type { Route } from '../route.ts';
import { allVoices } from '../voices.ts';

/** Route of contract section 4.3. */
export const voices: Route = {
  method: 'GET',
  path: PATHS.voices,
  stage: 'tts',
  timeoutMs: 30_000,
  failures: { unreachable: 500 },
  handle: async ({ engines, signal }) => {
    const known = await allVoices(engines, signal);
    return Response.json({ voices: known.map(({ voice }) => voice) });
  },
};
