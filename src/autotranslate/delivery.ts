import type { Row } from '../store/inbox/row.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { deliver, type DeliverDeps, type Ready } from './deliver.ts';
import type { PartitionWorkerDeps } from './partition-worker.ts';
import { planOfFault } from './planner.ts';
import type { WatchPort } from '../ports/channel-feed.ts';
import { createSemaphore } from '../async/semaphore.ts';

/** Deliveries that hold files in memory at the same moment. */
const LARGE_AT_ONCE = 2;

export interface DeliveryDeps extends DeliverDeps {
  readonly inbox: Pick<InboxStore, 'settle' | 'holds'>;
  /** Throws a retryable `AppError` while the platform is off. */
  readonly portOf: (row: Row) => WatchPort;
  /** Whether what was prepared is still to stand. */
  readonly isWanted: (ready: Ready) => Promise<boolean>;
}

/** What a lane does with its rows once they are prepared, or cannot be. */
export const createDelivery = (
  deps: DeliveryDeps,
): Pick<PartitionWorkerDeps, 'deliver' | 'bury'> => {
  const { inbox, log, portOf, isWanted } = deps;
  const large = createSemaphore(LARGE_AT_ONCE);

  const deliverAll = async (batch: readonly Ready[], signal: AbortSignal): Promise<void> => {
    const [first] = batch;
    if (first) await deliver(deps, portOf(first.row), batch, signal);
  };

  const isCurrent = async (ready: Ready): Promise<boolean> =>
    (await inbox.holds(ready.row)) && isWanted(ready);

  return {
    deliver: async (batch, signal) => {
      const work = async (): Promise<number> => {
        const current = await Promise.all(batch.map(isCurrent));
        const changed = current.indexOf(false);
        const ours = changed < 0 ? batch : batch.slice(0, changed);
        await deliverAll(ours, signal);
        return ours.length;
      };
      // Judged only when its turn has come.
      return batch.some(({ plan }) => plan.carries.length > 0) ? large.use(work) : work();
    },
    bury: async (row, error, signal) => {
      const { platform } = row.ref.channel.space;
      const fields = { platform, channel: row.ref.channel.id, message: row.ref.id };
      log.warn({ ...fields, code: error.code, reason: error.message }, 'a message is given up');
      const plan = planOfFault(error);
      await deliverAll(
        [{ row, message: undefined, plan, watch: undefined, again: false, sweep: [] }],
        signal,
      );
    },
  };
};
