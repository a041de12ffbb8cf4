import { AppError, toAppError } from '../errors.ts';
import type { Channel } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { Log } from '../log.ts';
import type { Privacy } from '../store/privacy.ts';
import type { MirrorStore, KeptMirror } from '../store/mirrors.ts';
import type { Row } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import type { MirrorDraft } from './compose.ts';
import type { Mirror, WatchPort } from '../ports/channel-feed.ts';
import { quoteFor } from './quotes.ts';

/** One copy of a message that is to stand in a target. */
export interface Step {
  readonly row: Row;
  readonly message: Message | undefined;
  readonly draft: MirrorDraft;
  /** What may stand there already although nobody knows of it. */
  readonly again: boolean;
  /** The copy does not show all of the message. */
  readonly isPartial: boolean;
}

/** What is to be done in one target, in the order of the lane. */
export interface Share {
  readonly target: Channel;
  readonly post: Step[];
  readonly change: (Step & { readonly posted: NonNullable<KeptMirror['posted']> })[];
  readonly remove: { readonly row: Row; readonly posted: KeptMirror['posted'] }[];
}

export interface ReconcileDeps {
  readonly copies: MirrorStore;
  readonly store: Pick<Store, 'note'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly log: Log;
}

/** What serving the targets leaves behind. */
export interface Records {
  /** What could not be done for good. */
  readonly faults: Map<Row, AppError>;
  /** Rows whose message went while its copies were made. */
  readonly vanished: Set<Row>;
  /** Writes of where copies stand. */
  readonly keeping: Promise<void>[];
}

/** In a place that is gone, or closed to us, nothing can be taken away, nor need it be. */
export const unlessLost = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (thrown) {
    const { code } = toAppError(thrown);
    if (code !== 'not-found' && code !== 'forbidden') throw thrown;
  }
};

const hashOf = ({ row, isPartial }: Step): string => (isPartial ? '' : row.contentHash);

const isFinal = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && !thrown.retryable && thrown.code !== 'cancelled';

/** One target, and what is done in it. */
interface Service extends ReconcileDeps {
  readonly port: WatchPort;
  readonly target: Channel;
  readonly records: Records;
}

/** Notes what stands in the target; awaited with the others, when all of them are served. */
const keep = (
  { copies, store, target, records }: Service,
  row: Row,
  kept: Omit<KeptMirror, 'target'>,
  isFirst: boolean,
): void => {
  const write = store.note((db) => copies.put(db, row, { target, ...kept }, isFirst));
  // What fails before it is awaited must not go unheard.
  write.catch(() => undefined);
  records.keeping.push(write);
};

const copyOf = async (service: Service, { row, message, draft }: Step): Promise<Mirror> => {
  const quote = message && draft.as && (await quoteFor(message, service.target, service));
  return { ...draft, source: row.ref, ...(quote ? { quote } : {}) };
};

const removeAll = async (service: Service, remove: Share['remove']): Promise<void> => {
  const { copies, store, port, target, records } = service;
  for (const { row, posted } of remove) {
    try {
      if (posted) await port.uncopy(posted, row.ref);
      await store.note((db) => copies.drop(db, row, target));
    } catch (thrown) {
      if (!isFinal(thrown)) throw thrown;
      if (thrown.code === 'not-found') await store.note((db) => copies.drop(db, row, target));
      // People still see it: somebody has to take it away.
      else records.faults.set(row, thrown);
    }
  }
};

const changeAll = async (service: Service, change: Share['change']): Promise<void> => {
  for (const step of change) {
    try {
      const posted = await service.port.recopy(step.posted, await copyOf(service, step));
      keep(service, step.row, { posted, contentHash: hashOf(step) }, false);
    } catch (thrown) {
      if (!isFinal(thrown)) throw thrown;
      if (thrown.code === 'not-found')
        keep(service, step.row, { posted: undefined, contentHash: step.row.contentHash }, false);
      else service.records.faults.set(step.row, thrown);
    }
  }
};

/** What could not be posted; a message that went meanwhile is no fault. */
const giveUp = async (
  { port, target, records, log }: Service,
  { row }: Step,
  error: AppError,
): Promise<void> => {
  if (error.code === 'not-found' && !(await port.read(row.ref))) {
    records.vanished.add(row);
    return;
  }
  records.faults.set(row, error);
  const fields = { platform: target.space.platform, channel: target.id, code: error.code };
  log.warn({ ...fields, reason: error.message }, 'a copy could not be posted');
};

const postAll = async (
  service: Service,
  post: Share['post'],
  signal: AbortSignal,
): Promise<void> => {
  const again = post.some((step) => step.again);
  const left = [...post];
  while (left.length > 0) {
    try {
      const wanted: Mirror[] = [];
      for (const step of left) wanted.push(await copyOf(service, step));
      for await (const posted of service.port.copy(service.target, wanted, { again, signal })) {
        const step = left.shift();
        if (step) keep(service, step.row, { posted, contentHash: hashOf(step) }, true);
      }
      return;
    } catch (thrown) {
      if (!isFinal(thrown)) throw thrown;
      // A place that is closed is closed to all of them.
      const failed = left.splice(0, thrown.code === 'forbidden' ? left.length : 1);
      for (const step of failed) await giveUp(service, step, thrown);
    }
  }
};

/** Does one target's share, and notes what stands there after each step. */
export const reconcile = async (
  deps: ReconcileDeps,
  port: WatchPort,
  { target, post, change, remove }: Share,
  records: Records,
  signal: AbortSignal,
): Promise<void> => {
  const service: Service = { ...deps, port, target, records };
  await removeAll(service, remove);
  await changeAll(service, change);
  await postAll(service, post, signal);
};
