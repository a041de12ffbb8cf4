/** The loudest sample of each of `bars` equal parts, scaled so that the loudest of all is 1. */
export const peaksOf = (samples: Float32Array, bars: number): number[] => {
  const peaks = Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * samples.length) / bars);
    const to = Math.floor(((bar + 1) * samples.length) / bars);
    let peak = 0;
    for (let index = from; index < to; index += 1)
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    return peak;
  });
  const loudest = Math.max(...peaks);
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest);
};

/** The bars of a picture 100 wide and 1 high for each bar, as one SVG path. */
export const barsPath = (peaks: readonly number[], height: number): string =>
  peaks
    .map((peak, index) => {
      const half = Math.max(0.04, peak) * (height / 2 - 1);
      return `M${index * 3 + 1.5} ${(height / 2 - half).toFixed(1)}v${(half * 2).toFixed(1)}`;
    })
    .join('');
