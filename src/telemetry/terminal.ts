import type { DestinationStream } from 'pino';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** A line as pino writes it; facts stand beside these. */
interface LogLine extends Readonly<Record<string, unknown>> {
  readonly time: number;
  readonly level: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

/** A fact as it reads best: words and numbers bare, the rest as JSON. */
const shown = (value: unknown): string =>
  typeof value === 'string' && /^[\w:/.@,+-]+$/.test(value) ? value : JSON.stringify(value);

/** A line of the log for people: `09:41:07 warn  message  name=value …`, and a stack beneath. */
export const readableLine = (json: string): string => {
  const { time, level, msg = '', err, ...facts } = JSON.parse(json) as LogLine;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const { stack = '', ...fault } = err ?? {};
  const named = Object.entries({ ...facts, ...(err === undefined ? {} : { err: fault }) });
  return [
    `${clock} ${(LEVELS[level] ?? String(level)).padEnd(5)} ${msg}`,
    ...named.map(([name, value]) => `  ${name}=${shown(value)}`),
    ...(stack === '' ? [] : [`\n${stack}`]),
    '\n',
  ].join('');
};

/** Writes the log for people who look on. */
export const toTerminal: DestinationStream = {
  write: (json) => process.stderr.write(readableLine(json)),
};
