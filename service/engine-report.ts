import type { EngineLine } from './engine.ts';

/** Lines of a table for a terminal, whose cells stand below each other. */
export const columns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map(
    (row) =>
      `  ${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}`,
  );
};

/**
 * Formats the engines for people at the start: each with its abilities, or with the way to add it.
 */
export const engineTable = (lines: readonly EngineLine[]): string => {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, serves, ready, detail }) =>
      [
        ready ? '  yes ' : '  no  ',
        name.padEnd(width),
        '  ',
        ready ? `${serves.join(', ')}: ${detail}` : `${serves.join(', ')}. To add it: ${detail}`,
      ].join(' '),
    )
    .join('\n');
};
