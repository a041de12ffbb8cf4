import { faultFields } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { labelled, plainWords } from '../../rich-text/compose.ts';
import { isSameChannel, type Posted } from '../../model/place.ts';
import type { Inline } from '../../rich-text/rich-text.ts';
import { LONGEST_PART_MS } from '../../model/message.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { Mirror, Mirrors } from '../../ports/mirrors.ts';
import type { TranscriptionProgress } from '../../speech/transcriber.ts';
import type { Row } from '../../store/inbox/row.ts';
import type { Store } from '../../store/index.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { minutesAndSeconds } from '../../text/time-of-day.ts';
import { HEARD } from './compose.ts';
import { RELAXED } from '../../store/writer.ts';

/** The shortest time between two updates of a progress line. */
const PACE_MS = 5_000;
/** Remaining time below which a recording needs no progress line. */
const NEARLY_MS = 5_000;
/** The content of a mirror that is still being made. */
const UNFINISHED = '';

export type Progress = ReturnType<typeof createProgress>;

export interface ProgressDeps {
  readonly mirrors: Pick<Mirrors, 'create' | 'update'>;
  readonly stored: MirrorStore;
  readonly store: Pick<Store, 'write'>;
  readonly log: Log;
  readonly now: () => number;
}

export interface ProgressLine extends Pick<Mirror, 'as' | 'below' | 'broadcast'> {
  /** Stands in front of the reply until it is finished. Default: that of a transcript. */
  readonly label?: readonly Inline[] | undefined;
}

const lineOf = ({ transcribedMs, totalMs }: TranscriptionProgress): string =>
  totalMs === undefined
    ? `${minutesAndSeconds(transcribedMs)} …`
    : `${minutesAndSeconds(transcribedMs)} / ${minutesAndSeconds(totalMs)} …`;

/** Creates the progress line of a long recording: a reply that its transcript later replaces. */
export const createProgress = (
  { mirrors, stored, store, log, now }: ProgressDeps,
  row: Row,
  tenure: Pick<Tenure, 'assertHeld'>,
  signal: AbortSignal,
  { label, ...how }: ProgressLine = {},
) => {
  const { ref } = row;
  const target = { channel: ref.channel };
  let showing: Promise<void> = Promise.resolve();
  let nextMs = 0;
  let uncertain = false;

  const assertHeld = (): void => tenure.assertHeld();

  const put = async (mirror: Mirror): Promise<Posted | undefined> => {
    const all = await stored.of(row);
    const standing = all.find(({ target: { channel } }) => isSameChannel(channel, ref.channel));
    // A finished reply is not overwritten by later progress.
    if (standing && (!standing.posted || standing.contentHash !== UNFINISHED)) return undefined;
    assertHeld();
    if (standing?.posted) return mirrors.update(standing.posted, mirror, { assertHeld });
    const mayExist = row.mayExist || uncertain;
    const others = mayExist ? await stored.others(row) : [];
    uncertain = true;
    const options = { mayExist, others, signal, assertHeld };
    for await (const posted of mirrors.create(target, [mirror], options)) {
      uncertain = false;
      return posted;
    }
    return undefined;
  };

  const show = async (heard: TranscriptionProgress): Promise<void> => {
    try {
      const line = plainWords(lineOf(heard));
      const content = { text: label ? labelled([HEARD], line) : line };
      const shown = { label: label ?? [HEARD], content, ...how };
      const posted = await put({ source: ref, key: row.purpose, ...shown });
      if (posted)
        await store.write(
          (db) => stored.put(db, row, { target, posted, contentHash: UNFINISHED }, false),
          RELAXED,
        );
    } catch (thrown) {
      log.debug(faultFields(thrown), 'a progress line could not be shown');
    }
  };

  return {
    show: (heard: TranscriptionProgress): void => {
      const { transcribedMs, totalMs } = heard;
      const isShort =
        totalMs === undefined
          ? transcribedMs < LONGEST_PART_MS
          : totalMs - transcribedMs < NEARLY_MS;
      if (isShort || now() < nextMs || signal.aborted) return;
      nextMs = now() + PACE_MS;
      showing = showing.then(() => show(heard));
    },
    /** Resolves when no update is being sent any more. */
    settled: (): Promise<void> => showing,
    /** True when a progress line may exist that is not stored. */
    isUncertain: (): boolean => uncertain,
  };
};
