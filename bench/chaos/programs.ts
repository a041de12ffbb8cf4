import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rssMb } from '../measure.ts';
import { processorMs } from '../processor-time.ts';
import { endProgram, spawnDragoman } from '../../test/fakes/program.ts';
import { slackAddressIn } from '../../test/fakes/slack-bot.ts';

/** Programs that are killed and started again, each under a name of its own. */
export interface Programs extends AsyncDisposable {
  start(name: string): void;
  /** Ends one without a word. */
  kill(name: string): Promise<void>;
  /** Stops one where it stands (SIGSTOP), and has it go on (SIGCONT). */
  freeze(name: string): void;
  wake(name: string): void;
  /** Where those that were not ended take Slack's requests. */
  addresses(): readonly string[];
  /** Memory of each, MB, and processor time of all that ever ran, ms. */
  use(): { readonly mb: readonly number[]; readonly cpuMs: number };
}

interface Running {
  readonly program: ReturnType<typeof spawnDragoman>;
  address: string | undefined;
}

/** A folder for what the programs log; unset: they log nothing. */
const LOGS = process.env['CHAOS_LOGS'];

export const createPrograms = (
  environmentOf: (name: string) => Record<string, string>,
): Programs => {
  const running = new Map<string, Running>();
  let spentMs = 0;
  if (LOGS !== undefined) mkdirSync(LOGS, { recursive: true });

  const signal = (name: string, what: 'SIGSTOP' | 'SIGCONT'): void => {
    if (!running.get(name)?.program.kill(what)) throw new Error(`${name} does not run`);
  };

  return {
    start: (name) => {
      const program = spawnDragoman({
        ...environmentOf(name),
        LOG_LEVEL: LOGS === undefined ? 'silent' : 'info',
      });
      const one: Running = { program, address: undefined };
      let written = '';
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (some: Buffer) => {
          if (LOGS !== undefined) appendFileSync(join(LOGS, `${name}.log`), some);
          if (one.address !== undefined) return;
          written += String(some);
          one.address = slackAddressIn(written);
        });
      running.set(name, one);
    },
    kill: async (name) => {
      const one = running.get(name);
      if (!one) return;
      running.delete(name);
      spentMs += processorMs(one.program.pid ?? 0);
      await endProgram(one.program);
    },
    freeze: (name) => signal(name, 'SIGSTOP'),
    wake: (name) => signal(name, 'SIGCONT'),
    addresses: () => [...running.values()].flatMap(({ address }) => address ?? []),
    use: () => {
      const pids = [...running.values()].map(({ program }) => program.pid ?? 0);
      return {
        mb: pids.map(rssMb),
        cpuMs: pids.reduce((sum, pid) => sum + processorMs(pid), spentMs),
      };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running.values()].map(async ({ program }) => endProgram(program)));
    },
  };
};
