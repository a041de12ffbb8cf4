import { vi } from 'vitest';

type Library = Pick<typeof import('libopus-wasm'), 'createDecoder'>;

/** Called when an Opus decoder is freed. */
export const decoderFreed = vi.fn();

/** libopus-wasm whose decoders report to `decoderFreed`; for `vi.mock`. */
export const watchedDecoder = ({ createDecoder, ...rest }: Library): Library => ({
  ...rest,
  createDecoder: async (options) => {
    const decoder = await createDecoder(options);
    const free = decoder.free.bind(decoder);
    decoder.free = () => {
      decoderFreed();
      free();
    };
    return decoder;
  },
});
