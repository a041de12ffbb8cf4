/** What a process of the benchmark does with its messages: it makes some, and handles those that fall to it. */
export interface WorkerOptions {
  readonly url: string;
  /** Number of this process, and of all. */
  readonly index: number;
  readonly processes: number;
  /** Messages a second of all processes together. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly channels: number;
  readonly handlerMs: number;
}

/** Times on the machine's one clock, ms since 1970, by the message's number. */
export interface Report {
  readonly committed: readonly (readonly [number, number])[];
  readonly begun: readonly (readonly [number, number])[];
}

export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Runs `make` for each of this process's messages at its time; resolves when the last one was made. */
export const makeMessages = async (
  { index, processes, perSecond, seconds, channels }: WorkerOptions,
  make: (id: number, channel: number) => Promise<void>,
): Promise<void> => {
  const startMs = performance.now();
  const made: Promise<void>[] = [];
  for (let id = index; id < perSecond * seconds; id += processes) {
    const waitMs = startMs + (id / perSecond) * 1_000 - performance.now();
    if (waitMs > 1)
      await new Promise((resolve) => {
        setTimeout(resolve, waitMs);
      });
    // A prime step spreads neighbours over the channels.
    made.push(make(id, (id * 7_919) % channels));
  }
  await Promise.all(made);
};

/** Serves a parent process: says that it is ready, runs when it is told to, and reports. */
export const serve = (
  open: (options: WorkerOptions) => Promise<{ run: () => Promise<void>; report: () => Report }>,
): void => {
  const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
  const opening = open(options);
  process.on('message', (asked: 'run' | 'report') => {
    void opening.then(async (opened) => {
      if (asked === 'run') await opened.run();
      process.send?.(asked === 'run' ? 'done' : opened.report());
    });
  });
  void opening.then(() => process.send?.('ready'));
};
