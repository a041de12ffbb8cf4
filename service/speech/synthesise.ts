import { countCodePoints } from '../../src/text/unicode.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { Offer } from '../engine-loader.ts';
import { finished, speakInto, type SpeechOrder } from './speak.ts';
import type { Spool, Spools } from './spool.ts';

/** Audio whose first bytes may stand before its spool. */
export interface SpeechFile {
  readonly spool: Spool;
  readonly head?: readonly Uint8Array[];
}

export async function* speechBytes(
  { spool, head = [] }: SpeechFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  yield* head;
  yield* spool.read(signal);
}

export interface SynthesiseDeps {
  readonly offer: Pick<Offer<'speech'>, 'name' | 'limiter'>;
  readonly spools: Spools;
  readonly account: KeyAccount;
  readonly signal: AbortSignal;
  /** Called after each part with the length of all audio so far. */
  readonly onAudio?: (audioMs: number) => void;
}

const useOf = (text: string) => ({ ability: 'speech', amount: countCodePoints(text) }) as const;

/**
 * Begins to speak an order. A stream costs each part whose sound has begun, a file its whole text
 * once it is whole. Throws `ErrRateLimited` as the limiter and the spools do. Disposing of
 * the result ends the work.
 */
export const synthesise = (
  order: SpeechOrder,
  { offer, spools, account, signal, onAudio = () => undefined }: SynthesiseDeps,
) => {
  account.reserve(useOf(order.text), [offer.name]);
  using admitted = new DisposableStack();
  const turns = admitted.use(offer.limiter.admit(account.name));
  const held = new AsyncDisposableStack();
  const spool = held.use(spools.open(account.name));
  admitted.move();
  const stop = new AbortController();
  const charge = (text: string): void => account.charge({ ...useOf(text), engine: offer.name });
  const speaking = speakInto(
    spool,
    order,
    turns,
    { onAudio, charge: order.stream ? charge : () => undefined },
    AbortSignal.any([signal, stop.signal]),
  ).finally(() => turns[Symbol.dispose]());
  const ended = speaking.then(
    () => spool.end(),
    (error: unknown) => spool.end(error),
  );
  held.defer(() => ended);
  held.defer(() => stop.abort(signal.reason));

  return {
    /** The audio as it is made; for a format whose header holds the length only raw samples. */
    spool,
    /** Resolves with the whole file once all is spoken. Rejects as the engine does. */
    file: async (): Promise<SpeechFile> => {
      await speaking;
      const file = await finished(
        spool,
        order,
        account.name,
        () => held.use(spools.open(account.name, 'always')),
        signal,
      );
      if (!order.stream) charge(order.text);
      return file;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
};
