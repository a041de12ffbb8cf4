/** Time in which the gain falls before a peak, and in which it rises after it. */
const RAMP_MS = 5;

/** Limits samples to `highest`, in place: around each peak the gain falls and rises smoothly. */
export const limitPeaks = (samples: Float32Array, sampleRateHz: number, highest: number): void => {
  const level = (at: number): number => Math.abs(samples[at] ?? 0);
  const ramp = Math.round((sampleRateHz * RAMP_MS) / 1_000);
  const gains = new Map<number, number>();
  for (let at = 0; at < samples.length; at += 1) {
    if (level(at) <= highest) continue;
    let peak = at;
    for (; level(at) > highest; at += 1) if (level(at) > level(peak)) peak = at;
    const loss = 1 - highest / level(peak);
    for (let from = -ramp; from <= ramp; from += 1) {
      const gain = 1 - (loss * (1 + Math.cos((Math.PI * from) / ramp))) / 2;
      gains.set(peak + from, Math.min(gains.get(peak + from) ?? 1, gain));
    }
  }
  for (const [at, gain] of gains)
    samples[at] = Math.max(-highest, Math.min(highest, (samples[at] ?? 0) * gain));
};
