import type { Transaction } from 'kysely';
import { AppError, type ErrorCode, faultFields, reasonSentence, toAppError } from '../../errors.ts';
import { keyOf, type Posted } from '../../model/place.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { Mirror, MirrorTarget } from '../../ports/mirrors.ts';
import type { StoredMirror } from '../../store/channels/mirror-rows.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { Store } from '../../store/index.ts';
import { flaggedLanguage, isBackfill as isOfBackfill, type Row } from '../../store/inbox/row.ts';
import type { Schema } from '../../store/schema.ts';
import { RELAXED } from '../../store/writer.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { NAMED_MS, within } from '../watched-platforms.ts';
import type { Prepared } from '../prepare/prepared.ts';
import { loggingOf } from '../telemetry.ts';
import { hashOf, type Shown, type Step, type TargetWork, type Update } from './plan.ts';
import type { CompactReplies } from './compact-replies.ts';
import { quoteFor, type QuoteDeps } from './quote.ts';

export interface TargetDeps extends QuoteDeps {
  readonly replies: Pick<
    CompactReplies,
    'merge' | 'join' | 'opened' | 'update' | 'remove' | 'besides'
  >;
  readonly stored: MirrorStore;
  readonly moderators: Pick<ModeratorNotices, 'lost' | 'settled'>;
  readonly store: Pick<Store, 'write'>;
  readonly log: Log;
  readonly now: () => number;
}

type Changed = Pick<StoredMirror, 'posted' | 'quoted'>;

/** The results of a batch's steps so far. */
export interface Records {
  /** Permanent failures. */
  readonly faults: Map<Row, AppError>;
  /** Rows whose message was deleted while its mirrors were created. */
  readonly vanished: Set<Row>;
  /** Pending writes of the mirrors' places. */
  readonly writes: Promise<void>[];
  /** The tenure of the batch's partition. */
  readonly tenure: Tenure;
}

const isFinal = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && !thrown.retryable && thrown.code !== 'cancelled';

/** Refusals by which the bot may have been shut out of a channel. */
const NO_ACCESS: ReadonlySet<ErrorCode> = new Set(['forbidden', 'not-found']);

/** Refusals that may concern a mirror's files alone. */
const OF_FILES: ReadonlySet<ErrorCode> = new Set(['forbidden', 'too-large', 'bad-input']);

/** The words of a step whose files were refused, perhaps; undefined where it has none. */
const withoutFiles = ({ bare }: Step, thrown: unknown): Shown | undefined =>
  bare && isFinal(thrown) && OF_FILES.has(thrown.code)
    ? { content: bare(reasonSentence(thrown)), bare: undefined }
    : undefined;

const stepDone = ({ open }: TargetWork, row: Row): void =>
  void open.set(row, (open.get(row) ?? 0) - 1);

/** Waits for a write when its row is settled. */
const settleAfter = ({ writes }: Records, write: Promise<void>): void => {
  // A write that fails before it is awaited must not be an unhandled rejection.
  write.catch(() => undefined);
  writes.push(write);
};

const allDone = (work: TargetWork, step: Step | undefined): void => {
  for (const { prepared } of step?.together ?? (step ? [step] : [])) stepDone(work, prepared.row);
};

/** A refusal as those read of it who cannot let the bot into the channel that it is about. */
const lostOf = ({ ref }: Row, { channel }: MirrorTarget, error: AppError): AppError => {
  const { code, message } = error;
  return keyOf(channel.space) === keyOf(ref.channel.space)
    ? error
    : new AppError(code, message, { cause: error, sentence: { key: 'reasons.lost' } });
};

/** Creates the functions that change the mirrors in one target. */
export const createTargets = (deps: TargetDeps) => {
  const { stored, store, platforms, replies, log } = deps;

  const writtenMs = ({ ref, position }: Row): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  /** Deletes mirrors of a deleted message that may exist in a target without being stored. */
  const removeOrphans = async (row: Row, target: MirrorTarget, tenure: Tenure): Promise<void> => {
    const isFlag = flaggedLanguage(row.purpose) !== undefined;
    // Other replies to the same message are kept, and the one that shows others too.
    const only = isFlag
      ? { key: row.purpose, others: await stored.others(row) }
      : { others: await replies.besides(row) };
    const assertHeld = (): void => tenure.assertHeld();
    try {
      assertHeld();
      const { mirrors } = platforms.of(target.channel);
      await mirrors.removeOrphans(target, row.ref, { ...only, assertHeld });
    } catch (thrown) {
      // In a target that is gone or inaccessible nothing can be deleted.
      const { code } = toAppError(thrown);
      if (code !== 'not-found' && code !== 'forbidden') throw thrown;
    }
  };

  const mirrorOf = async (
    { prepared: { row, message }, content: { line: _line, ...content } }: Step,
    target: MirrorTarget,
    before: readonly Step[] = [],
  ): Promise<{ readonly mirror: Mirror; readonly quoted: StoredMirror['quoted'] }> => {
    const together = before.flatMap(({ prepared: { message: source }, content: shown }) =>
      source ? { source, text: shown.content.text } : [],
    );
    // What stands in a thread answers the first message there anyway.
    const isOfThread =
      target.channel.parentId !== undefined && message?.replyTo?.id === message?.threadId;
    const isQuoted = content.as !== undefined && !content.below && !isOfThread;
    const readMs = deps.now();
    const quoted =
      message && isQuoted
        ? await quoteFor(message, target, deps, { together, isLast: row.attempts > 1 })
        : undefined;
    const sourceUrl = platforms.of(row.ref.channel).feed.link?.(row.ref);
    const mirror = {
      ...content,
      source: row.ref,
      key: row.purpose,
      ...(message?.threadId === undefined ? {} : { sourceThreadId: message.threadId }),
      ...(sourceUrl === undefined ? {} : { sourceUrl }),
      ...(quoted ? { quote: quoted.quote } : {}),
    };
    return { mirror, quoted: quoted && { ref: quoted.of, readMs } };
  };

  /** Begins to store a mirror, which is waited for when its row is settled. */
  const record = (records: Records, row: Row, mirror: StoredMirror, isFirst: boolean): void =>
    settleAfter(
      records,
      store.write((db) => stored.put(db, row, mirror, isFirst), RELAXED),
    );

  const removeMirrors = async (work: TargetWork, records: Records): Promise<void> => {
    const { target, remove, unquote } = work;
    const { mirrors } = platforms.of(target.channel);
    const assertHeld = (): void => records.tenure.assertHeld();
    /** Takes words away, and records that they are gone. */
    const take = async (
      row: Row,
      away: () => Promise<void>,
      recordGone: (db: Transaction<Schema>) => Promise<unknown>,
    ): Promise<void> => {
      try {
        assertHeld();
        await away();
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        if (thrown.code !== 'not-found') {
          // The message is still visible: people have to delete it.
          records.faults.set(row, thrown);
          return stepDone(work, row);
        }
      }
      await store.write(recordGone, RELAXED);
      stepDone(work, row);
    };
    for (const { row, posted } of remove) {
      const away = async (): Promise<void> => {
        const held = { signal: records.tenure.signal, assertHeld };
        if (posted && !(await replies.remove(posted, row, target, held)))
          await mirrors.remove(posted, row.ref, { assertHeld });
      };
      await take(row, away, (db) => stored.drop(db, row, target));
    }
    for (const { row, from } of unquote)
      await take(
        row,
        () => mirrors.unquote(from.posted, from.key.ref, { assertHeld }),
        // A message that stands is quoted again once its answer can be made anew.
        async (db) => row.message === 'deleted' && stored.setUnquoted(db, from.key, target),
      );
  };

  const updateMirrors = async (work: TargetWork, records: Records): Promise<void> => {
    const { target, update } = work;
    const { mirrors } = platforms.of(target.channel);
    const assertHeld = (): void => records.tenure.assertHeld();
    const change = async (step: Step, standing: Posted): Promise<Changed> => {
      const { row, mayExist } = step.prepared;
      const held = { signal: records.tenure.signal, assertHeld };
      if (await replies.update(standing, step, held)) return { posted: standing };
      const { mirror, quoted } = await mirrorOf(step, target);
      assertHeld();
      const sinceMs = mayExist ? row.sinceMs : undefined;
      return { posted: await mirrors.update(standing, mirror, { sinceMs, assertHeld }), quoted };
    };
    const changeOne = async (step: Update, standing: Posted): Promise<void> => {
      const { row } = step.prepared;
      try {
        const changed = await change(step, standing).catch(async (thrown: unknown) => {
          const shown = (await step.inStead()) ?? withoutFiles(step, thrown);
          if (!shown) throw thrown;
          return change({ ...step, ...shown }, standing);
        });
        const contentHash = hashOf(step.prepared, step.content);
        record(records, row, { target, ...changed, contentHash, models: step.models }, false);
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        if (thrown.code === 'not-found')
          record(records, row, { target, posted: undefined, contentHash: row.contentHash }, false);
        else records.faults.set(row, thrown);
      }
    };
    for (const step of update) {
      if (step.posted) await changeOne(step, step.posted);
      stepDone(work, step.prepared.row);
    }
  };

  /** Records a failure; a source that was deleted meanwhile is none. */
  const giveUp = async (
    { row, watch, mayExist }: Prepared,
    target: MirrorTarget,
    error: AppError,
    { faults, vanished, tenure }: Records,
  ): Promise<void> => {
    const { channel } = row.ref;
    if (error.code === 'not-found' && !(await platforms.of(channel).feed.read(row.ref))) {
      if (mayExist) await removeOrphans(row, target, tenure);
      vanished.add(row);
      return;
    }
    const mode = watch?.mode ?? 'reply';
    const looking = NO_ACCESS.has(error.code)
      ? platforms.of(target.channel).feed.missing(target.channel, mode, watch?.below)
      : Promise.resolve([]);
    const missing = await within(
      NAMED_MS,
      looking.catch((thrown: unknown) => (toAppError(thrown).retryable ? [] : undefined)),
      [],
    );
    const isLost = missing === undefined || missing.length > 0;
    if (isLost) deps.moderators.lost(target.channel);
    faults.set(row, isLost ? lostOf(row, target, error) : error);
    const lacking = missing && missing.length > 0 ? { missing } : {};
    const fields = { ...faultFields(error, target.channel), ...lacking };
    loggingOf(row, () => log.warn(fields, 'a mirror could not be created'));
  };

  const createMirrors = async (work: TargetWork, records: Records): Promise<void> => {
    const { target, create } = work;
    const { tenure } = records;
    const { mirrors } = platforms.of(target.channel);
    const assertHeld = (): void => tenure.assertHeld();
    const steps = replies.merge(create);
    const mayExist = steps.some(({ prepared }) => prepared.mayExist);
    while (steps.length > 0) {
      try {
        const held = { signal: tenure.signal, assertHeld };
        if (steps[0] && (await replies.join(steps[0], target, held))) {
          allDone(work, steps.shift());
          continue;
        }
        const all: Awaited<ReturnType<typeof mirrorOf>>[] = [];
        for (const [at, step] of steps.entries())
          all.push(await mirrorOf(step, target, steps.slice(0, at)));
        const others = mayExist
          ? (await Promise.all(steps.map(({ prepared }) => stored.others(prepared.row)))).flat()
          : [];
        assertHeld();
        const sinceMs = Math.min(...steps.map(({ prepared }) => writtenMs(prepared.row)));
        const isBackfill = steps.every(({ prepared }) => isOfBackfill(prepared.row.partition));
        const options = { mayExist, isBackfill, others, sinceMs, ...held };
        const wanted = all.map(({ mirror }) => mirror);
        for await (const posted of mirrors.create(target, wanted, options)) {
          const step = steps.shift();
          const quoted = all.shift()?.quoted;
          if (!step) continue;
          const { prepared, content, models } = step;
          const contentHash = hashOf(prepared, content);
          if (step.together ?? content.line?.isWhole)
            settleAfter(records, replies.opened(step, target, posted));
          else record(records, prepared.row, { target, posted, contentHash, models, quoted }, true);
          allDone(work, step);
        }
        return;
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        const [first] = steps;
        const shown = first && withoutFiles(first, thrown);
        if (shown) {
          steps[0] = { ...first, ...shown };
          continue;
        }
        // A target that refuses access refuses it for all of them.
        const failed = steps
          .splice(0, thrown.code === 'forbidden' ? steps.length : 1)
          .flatMap((step) => step.together ?? [step]);
        // Of messages that one reply would show, only the first may be gone.
        if (thrown.code !== 'forbidden') steps.unshift(...replies.merge(failed.splice(1)));
        for (const { prepared } of failed) {
          await giveUp(prepared, target, thrown, records);
          stepDone(work, prepared.row);
        }
        // The rest may reply to what was created before.
        await Promise.all(records.writes);
      }
    }
  };

  return {
    /** Removes, updates and creates the mirrors of one target; rejects where a later try may succeed. */
    change: async (work: TargetWork, records: Records): Promise<void> => {
      for (const row of work.orphans) {
        await removeOrphans(row, work.target, records.tenure);
        stepDone(work, row);
      }
      await removeMirrors(work, records);
      await updateMirrors(work, records);
      await createMirrors(work, records);
    },
  };
};
