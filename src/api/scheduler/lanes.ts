import { LANES, type Lane } from '../../model/service.ts';

export interface Waiting {
  readonly lane: Lane;
  /** Key of the space that asks. */
  readonly space: string;
}

/** Turns of other lanes after which a lane that waits gets one. */
export const PASSED_OVER = 20;

interface Queue<Job> {
  /** Jobs by space; the space whose turn it is stands first. */
  readonly spaces: Map<string, Set<Job>>;
  size: number;
  /** Turns of more urgent lanes while this one waited. */
  passedOver: number;
}

/** Creates the lanes in which jobs wait: by lane, in turn by space, and in the order of their coming within a space. */
export const createLanes = <Job extends Waiting>() => {
  const queues = new Map<Lane, Queue<Job>>(
    LANES.map((lane) => [lane, { spaces: new Map(), size: 0, passedOver: 0 }]),
  );
  const queueOf = (lane: Lane): Queue<Job> => queues.get(lane)!;
  const waitingLanes = (): Lane[] => LANES.filter((lane) => queueOf(lane).size > 0);

  const remove = (job: Job): void => {
    const queue = queueOf(job.lane);
    const jobs = queue.spaces.get(job.space);
    if (!jobs?.delete(job)) return;
    queue.size -= 1;
    if (jobs.size === 0) queue.spaces.delete(job.space);
    if (queue.size === 0) queue.passedOver = 0;
  };

  const first = (lane: Lane): Job | undefined => {
    for (const jobs of queueOf(lane).spaces.values()) for (const job of jobs) return job;
    return undefined;
  };

  return {
    /** @param wasRefused true for a job that was taken and refused: it keeps its place before its space's others */
    add: (job: Job, wasRefused = false): void => {
      const { spaces } = queueOf(job.lane);
      const others = spaces.get(job.space) ?? new Set();
      spaces.set(job.space, wasRefused ? new Set([job, ...others]) : others.add(job));
      queueOf(job.lane).size += 1;
    },
    remove,
    /**
     * The job whose turn it is among the lanes that may send: the most urgent one's, or that of a lane
     * that was passed over too often, which is asked about with `isDue`.
     */
    next: (may: (lane: Lane, isDue: boolean) => boolean): Job | undefined => {
      const lanes = waitingLanes();
      const due = lanes.find((lane) => queueOf(lane).passedOver >= PASSED_OVER && may(lane, true));
      const lane = due ?? lanes.find((one) => may(one, false));
      return lane && first(lane);
    },
    /** Takes a job out because it is sent: its lane and space have had their turn. */
    take: (job: Job): void => {
      const { spaces } = queueOf(job.lane);
      remove(job);
      const rest = spaces.get(job.space);
      if (rest) {
        spaces.delete(job.space);
        spaces.set(job.space, rest);
      }
      queueOf(job.lane).passedOver = 0;
      const lower = LANES.slice(LANES.indexOf(job.lane) + 1);
      for (const lane of lower) if (queueOf(lane).size > 0) queueOf(lane).passedOver += 1;
    },
    /** Jobs that would be sent before a new one. */
    ahead: ({ lane, space }: Waiting): number => {
      let count = 0;
      for (const higher of LANES.slice(0, LANES.indexOf(lane))) count += queueOf(higher).size;
      const { spaces } = queueOf(lane);
      const own = spaces.get(space)?.size ?? 0;
      for (const [other, { size }] of spaces)
        count += other === space ? size : Math.min(size, own + 1);
      return count;
    },
    sizeOf: (lane: Lane): number => queueOf(lane).size,
    get size(): number {
      return [...queues.values()].reduce((sum, { size }) => sum + size, 0);
    },
    clear: (): Job[] => {
      const all = [...queues.values()].flatMap(({ spaces }) =>
        [...spaces.values()].flatMap((jobs) => [...jobs]),
      );
      for (const job of all) remove(job);
      return all;
    },
  };
};
