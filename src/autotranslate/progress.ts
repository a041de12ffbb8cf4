import { toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Message } from '../model/message.ts';
import type { Posted } from '../model/place.ts';
import { LONGEST_PART_MS } from '../model/transcript.ts';
import type { TranscriptionProgress } from '../speech/transcriber.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import type { Row } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import { minutesAndSeconds } from '../text/time-of-day.ts';
import { HEARD } from './compose.ts';
import type { Mirror, WatchPort } from '../ports/channel-feed.ts';

/** The shortest time between two looks of a progress line. */
const PACE_MS = 5_000;
/** What is nearly there needs no line that says so. */
const NEARLY_MS = 5_000;
/** The content of a copy that is still being made. */
const UNFINISHED = '';

export interface Progress {
  readonly show: (heard: TranscriptionProgress) => void;
  /** Resolves when nothing of it is on its way any more. */
  readonly settled: () => Promise<void>;
  /** Whether a line may stand of which nothing is known. */
  readonly isUncertain: () => boolean;
}

export interface ProgressDeps {
  readonly port: WatchPort;
  readonly copies: MirrorStore;
  readonly store: Pick<Store, 'note'>;
  readonly log: Log;
  readonly now: () => number;
}

const line = ({ heardMs, totalMs }: TranscriptionProgress): string =>
  totalMs === undefined
    ? `${minutesAndSeconds(heardMs)} …`
    : `${minutesAndSeconds(heardMs)} / ${minutesAndSeconds(totalMs)} …`;

/** How far a long recording was heard, as the reply that its transcript will take the place of. */
export const createProgress = (
  { port, copies, store, log, now }: ProgressDeps,
  row: Row,
  { ref }: Message,
  signal: AbortSignal,
  /** What the reply begins with until it is finished. */
  mark: string = HEARD,
): Progress => {
  let showing: Promise<void> = Promise.resolve();
  let nextMs = 0;
  let uncertain = false;

  const place = async (copy: Mirror): Promise<Posted | undefined> => {
    const standing = (await copies.of(row)).find(({ target }) => target.id === ref.channel.id);
    // What shows a finished state is not spoilt by a later one's progress.
    if (standing && (!standing.posted || standing.contentHash !== UNFINISHED)) return undefined;
    if (standing?.posted) return port.recopy(standing.posted, copy);
    const again = row.again || uncertain;
    uncertain = true;
    for await (const posted of port.copy(ref.channel, [copy], { again, signal })) {
      uncertain = false;
      return posted;
    }
    return undefined;
  };

  const show = async (heard: TranscriptionProgress): Promise<void> => {
    try {
      const text = mark === HEARD ? line(heard) : `${HEARD} ${line(heard)}`;
      const posted = await place({ source: ref, mark, content: { text } });
      if (posted)
        await store.note((db) =>
          copies.put(db, row, { target: ref.channel, posted, contentHash: UNFINISHED }, false),
        );
    } catch (thrown) {
      const { code, message: reason } = toAppError(thrown);
      log.debug({ code, reason }, 'a progress line could not be shown');
    }
  };

  return {
    show: (heard) => {
      const { heardMs, totalMs } = heard;
      const isShort =
        totalMs === undefined ? heardMs < LONGEST_PART_MS : totalMs - heardMs < NEARLY_MS;
      if (isShort || now() < nextMs || signal.aborted) return;
      nextMs = now() + PACE_MS;
      showing = showing.then(() => show(heard));
    },
    settled: () => showing,
    isUncertain: () => uncertain,
  };
};
