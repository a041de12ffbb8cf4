/** Id that no process has: Linux gives none above 2^22. */
export const DEAD_PID = 2 ** 22 + 1;
