import { imageCommands } from '../src/process/program.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { EngineConfig } from './config.ts';
import type { EngineReport } from '../src/model/service.ts';

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
 * Formats the engines for people at the start: each with its abilities, or with the way to add it, and
 * the one command where none translates.
 */
export const engineTable = (
  lines: readonly EngineReport[],
  { DRAGOMAN_IMAGE: isImage }: Pick<EngineConfig, 'DRAGOMAN_IMAGE'>,
): string => {
  const rows = columns(
    lines.map(({ name, serves, ready, detail }) => {
      const abilities = serves.join(', ');
      return ready
        ? ['yes', name, `${abilities}: ${detail}`]
        : ['no', name, `${abilities}. To add it: ${detail}`];
    }),
  );
  const translates = lines.some(({ serves, ready }) => ready && serves.includes('translation'));
  const hint = 'No engine translates yet. To add one, run: npm run setup';
  return [...rows, ...(translates ? [] : [isImage ? imageCommands(hint) : hint])].join('\n');
};

/** Declares the metric of what the engines can do. */
export const declareEngineMetrics = (
  metrics: Pick<Metrics, 'gauge'>,
  report: () => Promise<readonly EngineReport[]>,
): void =>
  metrics.gauge(
    {
      name: 'dragoman_engine_ready',
      help: 'Abilities of engines: 1 where one can be used, 0 where something is missing.',
      labels: ['engine', 'ability'],
    },
    async () =>
      (await report()).flatMap(({ name, serves, ready }) =>
        serves.map((ability) => ({ labels: { engine: name, ability }, value: Number(ready) })),
      ),
  );
