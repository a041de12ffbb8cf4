/** An encoder of one file; mono. */
export interface Encoder {
  /** Takes a slice of at most a quarter of a second; returns the bytes that are complete by now. */
  push(samples: Float32Array): Uint8Array;
  /** The rest of the file. */
  end(): Iterable<Uint8Array>;
  /** Gives back the codec's memory; nothing may be called afterwards. */
  free(): void;
}

/** A format that files are encoded in. */
export interface EncoderKind {
  /** True when bytes come while PCM is still going in. */
  readonly streamable: boolean;
  supportsRate(sampleRateHz: number): boolean;
  create(sampleRateHz: number): Promise<Encoder>;
}

export const NO_BYTES = new Uint8Array(0);

/** True for rates that recorders and players use, where the format itself sets no bounds. */
export const anyRate = (sampleRateHz: number): boolean =>
  Number.isInteger(sampleRateHz) && sampleRateHz >= 8_000 && sampleRateHz <= 192_000;
