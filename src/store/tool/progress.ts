/** Says what is being done, a line each. */
export type Say = (line: string) => void;

/** Shortest time between two lines about the same table. */
const SAY_MS = 2_000;

const written = new Intl.NumberFormat('en');

/** A number of rows in words: `1,200 rows`. */
export const countOfRows = (count: number): string =>
  `${written.format(count)} ${count === 1 ? 'row' : 'rows'}`;

/** Creates the function that is told each number of rows of a table that are done. */
export const createRowProgress = (
  say: Say,
  nowMs: () => number = performance.now.bind(performance),
) => {
  let saidMs = nowMs();
  return (table: string, done: number, all: number): void => {
    if (done < all && nowMs() - saidMs < SAY_MS) return;
    saidMs = nowMs();
    say(
      done < all
        ? `${table}: ${written.format(done)} of ${countOfRows(all)}`
        : `${table}: ${countOfRows(all)}`,
    );
  };
};

export type RowProgress = ReturnType<typeof createRowProgress>;
