/** Samples of telephony (ITU-T G.711), of -1 to 1 for each byte. */

const SIGN = 0x80;

const tableOf = (magnitude: (exponent: number, mantissa: number) => number, inverted: number) =>
  Float32Array.from({ length: 256 }, (_, byte) => {
    const code = byte ^ inverted;
    const sound = magnitude((code >> 4) & 7, code & 15) / 0x8000;
    return (code & SIGN) === 0 ? -sound : sound;
  });

/** A-law, whose even bits are inverted. */
export const A_LAW = tableOf(
  (exponent, mantissa) =>
    exponent === 0 ? mantissa * 16 + 8 : (mantissa * 16 + 0x108) << (exponent - 1),
  0x55,
);

/** µ-law, whose bits are inverted; the sign bit of what is positive is set then as well. */
export const MU_LAW = tableOf(
  (exponent, mantissa) => ((mantissa * 8 + 0x84) << exponent) - 0x84,
  0x7f,
);
