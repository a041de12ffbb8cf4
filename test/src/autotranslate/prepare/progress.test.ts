import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import type { TranscriptionProgress } from '../../../../src/speech/transcriber.ts';
import { createProgress, type Progress } from '../../../../src/autotranslate/prepare/progress.ts';
import type { Row } from '../../../../src/store/inbox/row.ts';
import { createFakeFeed, lost, type FakeFeed } from '../../../fakes/channel-feed.ts';
import { HERE, messageOf, withInbox } from '../../store/inbox/support.ts';

const MINUTE_MS = 60_000;

const inbox = withInbox();
let feed: FakeFeed;
let row: Row;
let line: Progress;
let stopping: AbortController;
let isHeld: boolean;

const TEN_MINUTES = { totalMs: 10 * MINUTE_MS };
const UNKNOWN = { totalMs: undefined };

const hear = async (
  transcribedMs: number,
  of: Pick<TranscriptionProgress, 'totalMs'> = TEN_MINUTES,
): Promise<void> => {
  line.show({ text: '', transcribedMs, ...of });
  await line.settled();
};
const begin = (): Progress => {
  const { mirrors: stored, store, clock } = inbox;
  const now = (): number => clock.ms;
  const deps = { mirrors: feed.mirrors, stored, store, log: silentLog, now };
  const assertHeld = (): void => {
    if (!isHeld) throw new AppError('cancelled', 'the lease is not held any more');
  };
  return createProgress(deps, row, { assertHeld }, stopping.signal);
};

beforeEach(async () => {
  feed = createFakeFeed();
  stopping = new AbortController();
  isHeld = true;
  await inbox.accept(messageOf(1));
  [row] = (await inbox.claim()) as [Row];
  line = begin();
});

describe('a line of progress', () => {
  it('is one message that tells how far it is, and not at every step', async () => {
    await hear(MINUTE_MS);
    await hear(2 * MINUTE_MS);
    expect(feed.texts(HERE)).toEqual(['🎧 1:00 / 10:00 …']);
    inbox.clock.ms += MINUTE_MS;
    await hear(3 * MINUTE_MS);
    expect(feed.texts(HERE)).toEqual(['🎧 3:00 / 10:00 …']);
  });

  it('is not shown of what is nearly heard, or short', async () => {
    await hear(10 * MINUTE_MS - 1_000);
    await hear(20_000, UNKNOWN);
    expect(feed.texts(HERE)).toEqual([]);
    await hear(MINUTE_MS, UNKNOWN);
    expect(feed.texts(HERE)).toEqual(['🎧 1:00 …']);
  });

  it('is not shown of what is given up', async () => {
    stopping.abort();
    await hear(MINUTE_MS);
    expect(feed.texts(HERE)).toEqual([]);
  });

  it('is not changed where the lease ends while it waits for the platform', async () => {
    await hear(MINUTE_MS);
    inbox.clock.ms += MINUTE_MS;
    feed.during('update', async () => void (isHeld = false));
    await hear(2 * MINUTE_MS);
    expect(feed.texts(HERE)).toEqual(['🎧 1:00 / 10:00 …']);
    expect(feed.calls).toEqual(['create']);
  });

  it('does not stand twice, though nobody knows whether it stands', async () => {
    feed.fail({ call: 'create', error: lost(), after: true });
    await hear(MINUTE_MS);
    expect(line.isUncertain()).toBe(true);
    inbox.clock.ms += MINUTE_MS;
    await hear(2 * MINUTE_MS);
    expect(feed.texts(HERE)).toEqual(['🎧 2:00 / 10:00 …']);
    expect(line.isUncertain()).toBe(false);
  });

  it('takes the place of no finished answer, nor of one that somebody took away', async () => {
    const finished = { target: { channel: HERE }, posted: { channel: HERE, ids: ['7'] as const } };
    for (const kept of [finished, { ...finished, posted: undefined }]) {
      await inbox.store.write((db) =>
        inbox.mirrors.put(db, row, { ...kept, contentHash: 'done' }, false),
      );
      line = begin();
      await hear(MINUTE_MS);
    }
    expect([feed.texts(HERE), feed.calls]).toEqual([[], []]);
  });
});
