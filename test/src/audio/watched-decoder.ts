import { vi } from 'vitest';

type Library = Pick<typeof import('opus-decoder'), 'OpusDecoder'>;

/** Called when an Opus decoder is freed. */
export const decoderFreed = vi.fn();

/** opus-decoder that tells `decoderFreed`; for `vi.mock`, as its methods are each instance's own. */
export const watchedDecoder = ({ OpusDecoder }: Library): Library => {
  const construct = (_: object, options: unknown[]): object => {
    const decoder = Reflect.construct(OpusDecoder, options);
    const free = decoder.free.bind(decoder);
    decoder.free = () => {
      decoderFreed();
      free();
    };
    return decoder;
  };
  return { OpusDecoder: new Proxy<Library['OpusDecoder']>(OpusDecoder, { construct }) };
};
