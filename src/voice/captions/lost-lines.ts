/** Lines that could not be transcribed, with their time on the room's clock. */
export interface LostLines {
  readonly count: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Collects lines that could not be transcribed, until they are told. */
export const createLostLines = (tell: (lost: LostLines) => void) => {
  let lost: LostLines | undefined;
  return {
    add: ({ startMs, endMs }: Omit<LostLines, 'count'>): void => {
      lost = {
        count: (lost?.count ?? 0) + 1,
        startMs: Math.min(startMs, lost?.startMs ?? startMs),
        endMs: Math.max(endMs, lost?.endMs ?? endMs),
      };
    },
    /** Tells the lines that were lost since the last time, if there are any. */
    tell: (): void => {
      const told = lost;
      lost = undefined;
      if (told) tell(told);
    },
  };
};
