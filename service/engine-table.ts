import type { EngineLine } from './engine.ts';

/** The engines as people read them at start: what each serves, or the line that adds it. */
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
