import type { AppError } from '../errors.ts';
import { isSameChannel, type Channel } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { ChannelWatch } from '../model/watch.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import type { Outcome, Row } from '../store/inbox/row.ts';
import { recordUsage } from '../store/usage.ts';
import { prepareAttachments } from './attachments.ts';
import type { Plan } from './plan.ts';
import type { WatchPort } from '../ports/channel-feed.ts';
import {
  reconcile,
  unlessLost,
  type Records,
  type ReconcileDeps,
  type Share,
  type Step,
} from './reconcile.ts';

/** Where copies may stand that nobody knows of; with marks: those alone that begin so. */
export interface Sweep {
  readonly from: Channel;
  readonly marks?: readonly string[];
}

/** A row whose plan is made, or that needs none because its message is gone. */
export interface Ready {
  readonly row: Row;
  readonly message: Message | undefined;
  readonly plan: Plan;
  /** As the channel was watched when the plan was made; undefined for a flag. */
  readonly watch: ChannelWatch | undefined;
  /** Something may stand already although nobody knows of it. */
  readonly again: boolean;
  /** Where to look for it, of a message that is gone. */
  readonly sweep: readonly Sweep[];
}

export interface DeliverDeps extends ReconcileDeps {
  readonly inbox: Pick<InboxStore, 'settle'>;
  readonly now: () => number;
}

/**
 * Makes the copies of some messages of one lane what their plans say, in the lane's order, and settles
 * their rows. What stands already is left; so doing it twice is doing it once. Rejects with a
 * retryable `AppError` where a target could not be served: then no row is settled.
 */
export const deliver = async (
  deps: DeliverDeps,
  port: WatchPort,
  batch: readonly Ready[],
  signal: AbortSignal,
): Promise<void> => {
  const records: Records = { faults: new Map(), vanished: new Set(), keeping: [] };
  for (const { row, sweep } of batch)
    for (const { from, marks } of sweep) await unlessLost(() => port.sweep(from, row.ref, marks));
  const shares = await sharesOf(deps.copies, port, batch, signal);
  const served = await Promise.allSettled(
    shares.map((share) => reconcile(deps, port, share, records, signal)),
  );
  for (const result of served) if (result.status === 'rejected') throw result.reason;
  // Written behind what is kept of the copies, and mostly in one transaction with it.
  const settling = deps.store.note(async (db) => {
    for (const { row, plan } of batch) {
      const outcome = outcomeOf(row, plan, records);
      const settled = await deps.inbox.settle(db, row, outcome);
      const used = { ...plan.used, messages: outcome.state === 'posted' ? 1 : 0 };
      const isUsed = used.messages + used.characters + used.audioMs > 0;
      if (settled && isUsed && row.authorId !== '')
        await recordUsage(db, row.ref.channel.space, row.authorId, used, deps.now());
    }
  });
  await Promise.all([...records.keeping, settling]);
};

const outcomeOf = (row: Row, plan: Plan, { faults, vanished }: Records): Outcome => {
  const fault: AppError | undefined = plan.fault ?? faults.get(row);
  if (vanished.has(row)) return { state: 'skipped', reason: 'deleted' };
  if (fault) return { state: 'dead', reason: fault.code };
  if (row.message === 'gone') return { state: 'skipped', reason: 'deleted' };
  return plan.skip === undefined ? { state: 'posted' } : { state: 'skipped', reason: plan.skip };
};

const sharesOf = async (
  copies: Pick<MirrorStore, 'of'>,
  port: WatchPort,
  batch: readonly Ready[],
  signal: AbortSignal,
): Promise<readonly Share[]> => {
  const shares = new Map<string, Share>();
  const shareOf = (target: Channel): Share => {
    const share = shares.get(target.id) ?? { target, post: [], change: [], remove: [] };
    shares.set(target.id, share);
    return share;
  };
  for (const { row, message, plan, again } of batch) {
    const standing = await copies.of(row);
    const carried = await prepareAttachments(plan.carries, port.copiedFilesBytes, signal);
    for (const { target, compose } of plan.placed) {
      const kept = standing.find((one) => isSameChannel(one.target, target));
      const isPartial = plan.fault !== undefined;
      const step: Step = { row, message, draft: compose(carried), again, isPartial };
      if (!kept) shareOf(target).post.push(step);
      else if (kept.posted && kept.contentHash !== row.contentHash)
        shareOf(target).change.push({ ...step, posted: kept.posted });
    }
    for (const { target, posted, contentHash } of standing) {
      const isWanted = plan.placed.some((placed) => isSameChannel(placed.target, target));
      // What is left as it is must at least be finished.
      if (!isWanted && !(plan.leaves && contentHash !== ''))
        shareOf(target).remove.push({ row, posted });
    }
  }
  return [...shares.values()];
};
