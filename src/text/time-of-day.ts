/** Writes a duration as media players show it, in whole elapsed seconds: `0:05`, `71:40`. */
export const minutesAndSeconds = (ms: number): string => {
  const seconds = Math.trunc(ms / 1_000);
  return `${Math.trunc(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
