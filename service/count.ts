/** Adds to the amount of a key; one without an amount is not kept. */
export const addTo = (counts: Map<string, number>, key: string, change: number): void => {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};
