import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second of `/proc/PID/stat` (proc(5), `sysconf(_SC_CLK_TCK)`). */
const TICKS = 100;

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** Of its children that have ended. */
  readonly childrenMs: number;
}

/** Fields of `/proc/PID/stat` (proc(5)): 4 is the parent, 14 to 17 are utime, stime, cutime and cstime. */
const statOf = (pid: number | string): Stat => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ms = (at: number): number => (Number(fields[at - 3]) / TICKS) * 1_000;
  return { parent: Number(fields[1]), ownMs: ms(14) + ms(15), childrenMs: ms(16) + ms(17) };
};

/** Processor time of a process so far, ms. */
export const processorMs = (pid: number): number => statOf(pid).ownMs;

const isServerOf = (pid: string, folder: string): boolean => {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return !command.startsWith('postgres: ') && command.includes(folder);
};

/** Processor time so far of all processes of the PostgreSQL server with this folder, ms. */
export const postgresMs = (folder: string): number => {
  const stats = new Map<string, Stat>();
  let server: string | undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      stats.set(pid, statOf(pid));
      if (isServerOf(pid, folder)) server = pid;
    } catch {
      // It has ended meanwhile.
    }
  const own = stats.get(server ?? '');
  if (!own) return 0;
  const children = [...stats.values()].filter(({ parent }) => parent === Number(server));
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.ownMs + own.childrenMs);
};
