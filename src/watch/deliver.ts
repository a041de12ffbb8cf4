import { toAppError, type AppError } from '../errors.ts';
import type { Channel, Message } from '../model.ts';
import type { Log } from '../log.ts';
import type { CopyStore, KeptCopy } from '../store/copies.ts';
import type { InboxStore, Outcome, Row } from '../store/inbox/index.ts';
import type { Writer } from '../store/writer.ts';
import { recordUsage } from '../store/usage.ts';
import { isSameChannel } from './compose.ts';
import type { Placed, Plan } from './plan.ts';
import type { Copy, WatchPort } from './port.ts';
import { quoteFor } from './quotes.ts';

/** A row whose plan is made, or that needs none because its message is gone. */
export interface Ready {
  readonly row: Row;
  readonly message: Message | undefined;
  readonly plan: Plan;
  /** Where copies may stand that nobody knows of, of a message that is gone. */
  readonly sweep: readonly Channel[];
  /** Nothing was made of the message before: no copies of it are known. */
  readonly isFirst: boolean;
}

export interface DeliverParts {
  readonly inbox: Pick<InboxStore, 'settle'>;
  readonly copies: CopyStore;
  readonly writer: Writer;
  readonly log: Log;
}

interface Step {
  readonly ready: Ready;
  readonly placed: Placed;
}

/** What serving the targets leaves behind. */
interface Records {
  readonly faults: Map<Row, AppError>;
  /** Writes of where copies stand. */
  readonly keeping: Promise<void>[];
}

/** One target's share of the work. */
interface Share {
  readonly target: Channel;
  readonly post: Step[];
  readonly change: (Step & { readonly kept: KeptCopy })[];
  readonly remove: { readonly row: Row; readonly kept: KeptCopy }[];
}

const isLost = ({ code }: AppError): boolean => code === 'not-found' || code === 'forbidden';

/** In a place that is gone, or closed to us, nothing can be taken away, nor need it be. */
const unlessLost = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (thrown) {
    if (!isLost(toAppError(thrown))) throw thrown;
  }
};

/**
 * Makes the copies of some messages of one lane what their plans say, in the lane's order, and settles
 * their rows. What stands already is left; so doing it twice is doing it once. Rejects with a
 * retryable `AppError` where a target could not be served: then no row is settled.
 */
export const deliver = async (
  parts: DeliverParts,
  port: WatchPort,
  batch: readonly Ready[],
  signal: AbortSignal,
): Promise<void> => {
  const shares = await sharesOf(parts.copies, batch);
  const faults = new Map<Row, AppError>();
  const keeping: Promise<void>[] = [];
  for (const { row, sweep } of batch)
    for (const from of sweep) await unlessLost(() => port.sweep(from, row.ref));
  const served = await Promise.allSettled(
    shares.map((share) => serve(parts, port, share, { faults, keeping }, signal)),
  );
  for (const { plan, row } of batch) if (plan.fault) faults.set(row, plan.fault);
  for (const result of served) if (result.status === 'rejected') throw result.reason;
  // Written behind what is kept of the copies, and mostly in one transaction with it.
  const settling = parts.writer.note(async (db) => {
    for (const { row, plan } of batch) {
      const settled = await parts.inbox.settle(db, row, outcomeOf(row, plan, faults.get(row)));
      if (settled && row.authorId !== '')
        await recordUsage(db, row.ref.channel.space, row.authorId, { ...plan.used, messages: 1 });
    }
  });
  await Promise.all([...keeping, settling]);
};

const outcomeOf = (row: Row, plan: Plan, fault: AppError | undefined): Outcome => {
  if (row.message === 'gone') return { state: 'skipped', reason: 'deleted' };
  if (fault) return { state: 'dead', reason: fault.code };
  return plan.skip === undefined ? { state: 'posted' } : { state: 'skipped', reason: plan.skip };
};

const sharesOf = async (
  copies: Pick<CopyStore, 'of'>,
  batch: readonly Ready[],
): Promise<readonly Share[]> => {
  const shares = new Map<string, Share>();
  const shareOf = (target: Channel): Share => {
    const share = shares.get(target.id) ?? { target, post: [], change: [], remove: [] };
    shares.set(target.id, share);
    return share;
  };
  for (const ready of batch) {
    const { row, plan } = ready;
    if (plan.leaves) continue;
    const standing = ready.isFirst ? [] : await copies.of(row);
    for (const placed of plan.placed) {
      const kept = standing.find(({ posted }) => isSameChannel(posted.channel, placed.target));
      const share = shareOf(placed.target);
      if (!kept) share.post.push({ ready, placed });
      else if (kept.contentHash !== row.contentHash) share.change.push({ ready, placed, kept });
    }
    for (const kept of standing)
      if (!plan.placed.some(({ target }) => isSameChannel(target, kept.posted.channel)))
        shareOf(kept.posted.channel).remove.push({ row, kept });
  }
  return [...shares.values()];
};

/** Does one target's share, and keeps what stands there after each step. */
const serve = async (
  { copies, writer, log }: DeliverParts,
  port: WatchPort,
  { target, post, change, remove }: Share,
  { faults, keeping }: Records,
  signal: AbortSignal,
): Promise<void> => {
  const keep = (row: Row, kept: KeptCopy, isFirst: boolean): void => {
    const write = writer.note((db) => copies.put(db, row, kept, isFirst));
    // Awaited with the others; what fails before that must not go unheard.
    write.catch(() => undefined);
    keeping.push(write);
  };
  const forget = (row: Row): Promise<void> => writer.note((db) => copies.drop(db, row, target));
  const copyOf = async ({ ready: { row, message }, placed: { draft } }: Step): Promise<Copy> => {
    const quote = message && draft.as && (await quoteFor(message, target, copies, port));
    return { ...draft, source: row.ref, ...(quote ? { quote } : {}) };
  };

  for (const { row, kept } of remove) {
    await unlessLost(() => port.uncopy(kept.posted, row.ref));
    await forget(row);
  }
  for (const step of change) {
    const { row } = step.ready;
    try {
      const posted = await port.recopy(step.kept.posted, await copyOf(step));
      keep(row, { posted, contentHash: row.contentHash }, false);
    } catch (thrown) {
      const error = toAppError(thrown);
      // Somebody took the copy away: it is not put back.
      if (error.code === 'not-found') await forget(row);
      else if (error.retryable || error.code === 'cancelled') throw error;
      else faults.set(row, error);
    }
  }

  const again = post.some(({ ready }) => ready.row.again);
  for (let left = post; left.length > 0;) {
    let at = 0;
    try {
      const wanted = await inTurn(left, copyOf);
      for await (const posted of port.copy(target, wanted, { again, signal })) {
        const ready = left[at]?.ready;
        at += 1;
        if (ready) keep(ready.row, { posted, contentHash: ready.row.contentHash }, ready.isFirst);
      }
      return;
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.retryable || error.code === 'cancelled') throw error;
      const { platform } = target.space;
      const fields = { platform, channel: target.id, code: error.code, reason: error.message };
      log.warn(fields, 'a copy could not be posted');
      const lost = isLost(error) ? left.slice(at) : left.slice(at, at + 1);
      for (const { ready } of lost) faults.set(ready.row, error);
      left = left.slice(at + lost.length);
    }
  }
};

const inTurn = async <T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> => {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
};
