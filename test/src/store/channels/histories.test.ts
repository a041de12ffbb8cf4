import { expect, it } from 'vitest';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { createHistoryGaps, type HistoryGap } from '../../../../src/store/channels/histories.ts';
import { openStore } from '../../../../src/store/index.ts';
import { fresh } from '../../../fakes/opened.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';

const SPACE = { platform: 'test', id: 's1' };
const CHANNEL = { space: SPACE, id: 'c1' };
const THREAD = { space: SPACE, id: 't1', parentId: 'c1' };
const gap = (part: Partial<HistoryGap> = {}): HistoryGap => ({
  channel: CHANNEL,
  fromMs: 1_000,
  untilMs: 2_000,
  reason: 'limited',
  ...part,
});

const store = fresh(() => openStore('sqlite::memory:'));
const gaps = fresh(() => createHistoryGaps(store));

it('lists the gaps of a space, the newest first', async () => {
  const elsewhere = { space: { platform: 'test', id: 's2' }, id: 'c2' };
  const all = [gap(), gap({ fromMs: 3_000, untilMs: 4_000 }), gap({ channel: elsewhere })];
  for (const each of all) await gaps.put(each);
  expect(await gaps.of(SPACE)).toEqual([all[1], all[0]]);
});

it('extends a gap that begins at the same time, which was told', async () => {
  expect(await gaps.put(gap())).toBe(true);
  expect(await gaps.put(gap({ untilMs: 9_000 }))).toBe(false);
  expect(await gaps.of(SPACE)).toEqual([gap({ untilMs: 9_000 })]);
});

it('tells each gap of a history that is limited, and once that one may not be read', async () => {
  const told: boolean[] = [];
  for (const reason of ['limited', 'forbidden'] as const)
    for (const fromMs of [1_000, 5_000])
      told.push(await gaps.put(gap({ fromMs: fromMs + told.length, reason })));
  expect(told).toEqual([true, true, true, false]);
});

it('forgets the gaps of a channel with its threads, and those that are old', async () => {
  await gaps.put(gap({ channel: THREAD }));
  await gaps.put(gap());
  await gaps.remove(CHANNEL);
  expect(await gaps.of(SPACE)).toEqual([]);
  await gaps.put(gap({ untilMs: 10 }));
  await gaps.put(gap({ fromMs: 20, untilMs: 30 }));
  await clearOld(store, { ...NO_HORIZONS, rowsMs: 20 });
  expect((await gaps.of(SPACE)).map(({ untilMs }) => untilMs)).toEqual([30]);
});
