import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import { instantOffer, joined, openSession, silenceOf, soundOf, wordsIn } from './support.ts';

const SIX = [0, 1, 2, 3, 4, 5];

describe('the price of an utterance', () => {
  const open = (offer = instantOffer()) => {
    const charges: number[] = [];
    const charge = ({ amount }: { readonly amount: number }): void => void charges.push(amount);
    return { charges, ...openSession([offer], { ...operatorAccount('one'), charge }) };
  };

  it('is that of its length, once', async () => {
    const { charges, hear, session } = open();
    await hear(joined(silenceOf(1), soundOf(SIX), silenceOf(1)));
    session.closed();
    expect(charges).toHaveLength(1);
    expect(Math.abs(charges[0]! - 2_400)).toBeLessThanOrEqual(400);
  });

  it('in which the client leaves is that of what was recognised, if any of it was shown', async () => {
    const { charges, hear, session, of } = open();
    await hear(joined(silenceOf(1), soundOf(SIX)));
    expect(of('asr.partial_result').length).toBeGreaterThan(0);
    expect(charges).toEqual([]);
    session.closed();
    expect(charges).toHaveLength(1);
    expect(charges[0]).toBeGreaterThan(1_200);
    expect(charges[0]).toBeLessThanOrEqual(2_600);

    const brief = open();
    await brief.hear(joined(silenceOf(1), soundOf([1])));
    brief.session.closed();
    expect(brief.charges).toEqual([]);
  });

  it('in which the client leaves while its final is made is charged once', async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const offer = instantOffer(async (samples) => {
      if (isHeld) await held.promise;
      return { text: wordsIn(samples) };
    });
    const { charges, hear, session, of, clock } = open(offer);
    await hear(joined(silenceOf(1), soundOf(SIX)));
    expect(of('asr.partial_result').length).toBeGreaterThan(0);
    isHeld = true;
    await hear(joined(silenceOf(1)));
    session.closed();
    held.resolve();
    await clock.advance(0);
    expect(charges).toHaveLength(1);
  });

  it('is nothing where no engine can recognise the whole of it', async () => {
    let isBroken = false;
    const offer = instantOffer((samples) => {
      if (isBroken) throw new AppError('unavailable', 'it is away', { retryable: true });
      return { text: wordsIn(samples) };
    });
    const { charges, hear, session, of } = open(offer);
    await hear(joined(silenceOf(1), soundOf(SIX)));
    isBroken = true;
    await hear(joined(silenceOf(1)));
    expect(of('error')).toHaveLength(1);
    session.closed();
    expect(charges).toEqual([]);
  });
});
