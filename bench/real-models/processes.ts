import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT, endProgram, wordsOf } from '../../test/fakes/program.ts';

/** Parents of the processes that there are. */
const parents = (): ReadonlyMap<number, number> =>
  new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): [number, number][] => {
        try {
          const [, parent] = /\)\s\S\s(\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
          return [[Number(name), Number(parent)]];
        } catch {
          return [];
        }
      }),
  );

const pssKb = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/** Memory of a process and its children, each page counted once (`Pss` of proc(5)), MB. */
export const treeMb = (root: number): number => {
  const all = parents();
  const isBelow = (pid: number): boolean =>
    pid === root || (all.has(pid) && isBelow(all.get(pid) ?? 0));
  return [...all.keys()].filter(isBelow).reduce((sum, pid) => sum + pssKb(pid), 0) / 1_024;
};

/** A server with the OpenAI API that answers. */
export interface Target {
  readonly title: string;
  /** Base URL of its OpenAI paths. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Its process; undefined where that is not known. */
  readonly pid?: number | undefined;
}

/** The service in a process of its own, with the key `KEY`. */
export interface ServiceProcess extends Target, AsyncDisposable {
  readonly origin: string;
  readonly key: string;
}

const KEY = 'svck:bench-0123456789abcdef';

/** Starts the service as `npm run service` does; resolves once it listens. */
export const startServiceProcess = async (
  title: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> => {
  const program = spawn(process.execPath, wordsOf('service/main.ts'), {
    cwd: mkdtempSync(join(tmpdir(), 'dragoman-bench-')),
    env: {
      ...BARE_ENVIRONMENT,
      SERVICE_PORT: '0',
      SERVICE_KEYS: KEY,
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    program.stdout.on('data', (some: Buffer) => {
      said += some.toString();
      const [, address] = /chat at (http\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    program.once('exit', () => reject(new Error(`The service ended: ${said}`)));
  });
  return {
    title,
    origin,
    url: `${origin}/openai/v1`,
    key: KEY,
    pid: program.pid,
    [Symbol.asyncDispose]: async () => endProgram(program, 'SIGTERM'),
  };
};
