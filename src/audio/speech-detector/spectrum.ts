const SIZE = 256;
const BITS = 8;

const HANN = Float64Array.from(
  { length: SIZE },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / SIZE),
);
const COS = Float64Array.from({ length: SIZE }, (_, at) => Math.cos((2 * Math.PI * at) / SIZE));
const SIN = Float64Array.from({ length: SIZE }, (_, at) => Math.sin((2 * Math.PI * at) / SIZE));
/** The indices with their bits in reverse. */
const REVERSED = Uint8Array.from({ length: SIZE }, (_, at) => {
  let reversed = 0;
  for (let bit = 0; bit < BITS; bit += 1) reversed |= ((at >> bit) & 1) << (BITS - 1 - bit);
  return reversed;
});

const re = new Float64Array(SIZE);
const im = new Float64Array(SIZE);

/** Transforms `re` and `im` (radix 2, in place). */
const transform = (): void => {
  for (let half = 1; half < SIZE; half *= 2) {
    const step = SIZE / (2 * half);
    for (let from = 0; from < SIZE; from += 2 * half)
      for (let k = 0; k < half; k += 1) {
        const i = from + k;
        const j = i + half;
        const cos = COS[k * step]!;
        const sin = SIN[k * step]!;
        const real = re[j]! * cos + im[j]! * sin;
        const imaginary = im[j]! * cos - re[j]! * sin;
        re[j] = re[i]! - real;
        im[j] = im[i]! - imaginary;
        re[i]! += real;
        im[i]! += imaginary;
      }
  }
};

/**
 * Writes the magnitudes of two frames of 256 samples, one as the real and one as the imaginary part
 * of a single transform: those of frequency k to `out[4 k + column]` and the place after it.
 */
export const writeMagnitudes = (
  samples: Float64Array,
  first: number,
  second: number,
  out: Float64Array,
  column: number,
): void => {
  for (let at = 0; at < SIZE; at += 1) {
    const to = REVERSED[at]!;
    re[to] = samples[first + at]! * HANN[at]!;
    im[to] = samples[second + at]! * HANN[at]!;
  }
  transform();
  for (let k = 0; k <= SIZE / 2; k += 1) {
    const mirrored = (SIZE - k) % SIZE;
    const evenRe = re[k]! + re[mirrored]!;
    const evenIm = im[k]! - im[mirrored]!;
    const oddRe = im[k]! + im[mirrored]!;
    const oddIm = re[mirrored]! - re[k]!;
    out[4 * k + column] = Math.sqrt(evenRe * evenRe + evenIm * evenIm) / 2;
    out[4 * k + column + 1] = Math.sqrt(oddRe * oddRe + oddIm * oddIm) / 2;
  }
};
