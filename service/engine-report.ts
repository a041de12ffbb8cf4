import type { EngineLine } from './engine.ts';

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
