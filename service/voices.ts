import type { Voice } from '../src/api/contract.ts';
import type { Engines, Offer } from './engine-loader.ts';

/** A voice, and the engine that has it. */
export interface OfferedVoice {
  readonly voice: Voice;
  readonly offer: Offer<'speech'>;
}

/** Lists every voice with its engine, in the engines' order. Throws the contract's 404 for none. */
export const allVoices = async (
  engines: Engines,
  signal: AbortSignal,
): Promise<readonly OfferedVoice[]> => {
  const offers = await engines.offers('speech');
  const lists = await Promise.allSettled(offers.map(async ({ engine }) => engine.voices(signal)));
  const [first] = lists;
  // One failing engine does not hide the voices of the others.
  if (first?.status === 'rejected' && lists.every(({ status }) => status === 'rejected'))
    throw first.reason;
  const voices = offers.flatMap((offer, index) => {
    const list = lists[index];
    return list?.status === 'fulfilled' ? list.value.map((voice) => ({ voice, offer })) : [];
  });
  if (voices.length === 0) throw engines.missing({ ability: 'speech' });
  return voices;
};
