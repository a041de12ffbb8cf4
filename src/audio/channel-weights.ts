/**
 * The roles of channels by their count, in the order of Vorbis (Vorbis I, section 4.3.9), which Opus
 * shares: `c` centre, `f` front left or right, `s` side or rear, `x` low-frequency effects.
 */
const VORBIS_ROLES = ['', 'c', 'ff', 'fcf', 'ffss', 'fcfss', 'fcfssx', 'fcfsssx', 'fcfssssx'];

/** The parts of a mono mix (ITU-R BS.775-3, annex 4): speech is in the centre, no speech in `x`. */
const PARTS: Readonly<Record<string, number>> = { c: 1, f: Math.SQRT1_2, s: 0.5, x: 0 };

/** Weights of equal parts, for channels without an order. */
export const equalWeights = (channels: number): number[] =>
  Array.from({ length: channels }, () => 1 / channels);

/** Weights, one in all, with which channels in the order of Vorbis are mixed to mono. */
export const vorbisWeights = (channels: number): number[] => {
  const parts = Array.from(VORBIS_ROLES[channels] ?? '', (role) => PARTS[role]!);
  const whole = parts.reduce((all, part) => all + part, 0);
  return parts.length > 0 ? parts.map((part) => part / whole) : equalWeights(channels);
};
