import { PATHS, type Voice } from '../../src/api/contract.ts';
import type { Engines, Offer } from '../engine-loader.ts';
import type { Route } from '../route.ts';

/** Lists every voice with its engine, in the engines' order. */
export const allVoices = async (
  engines: Engines,
  signal: AbortSignal,
): Promise<readonly { readonly voice: Voice; readonly offer: Offer<'speech'> }[]> => {
  const offers = await engines.offers('speech');
  const lists = await Promise.allSettled(offers.map(async ({ engine }) => engine.voices(signal)));
  const [first] = lists;
  // One failing engine does not hide the voices of the others.
  if (first?.status === 'rejected' && lists.every(({ status }) => status === 'rejected'))
    throw first.reason;
  return offers.flatMap((offer, index) => {
    const list = lists[index];
    return list?.status === 'fulfilled' ? list.value.map((voice) => ({ voice, offer })) : [];
  });
};

/** Route of contract section 4.3. */
export const voices: Route = {
  method: 'GET',
  path: PATHS.voices,
  stage: 'tts',
  timeoutMs: 30_000,
  failures: { unreachable: 500 },
  handle: async ({ engines, signal }) => {
    const known = await allVoices(engines, signal);
    if (known.length === 0) throw engines.missing({ ability: 'speech' });
    return Response.json({ voices: known.map(({ voice }) => voice) });
  },
};
