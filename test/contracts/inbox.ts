import { expect } from 'vitest';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { Message } from '../../src/model/message.ts';
import type { InboxStore } from '../../src/store/inbox/index.ts';
import type { LateRow } from '../../src/store/inbox/late-rows.ts';
import {
  backfillPartition,
  groupPartition,
  latePartition,
  WATCH,
  type Arrival,
  type Outcome,
  type Row,
} from '../../src/store/inbox/row.ts';
import { slotOf } from '../../src/store/rows.ts';
import type { Contract } from './contract.ts';

/** An inbox, and a way to settle a row of it. */
export interface InboxSubject {
  readonly inbox: Pick<
    InboxStore,
    | 'accept'
    | 'markDeleted'
    | 'claim'
    | 'release'
    | 'takeOver'
    | 'partitions'
    | 'lateIn'
    | 'waitsFor'
    | 'waitingFrom'
  >;
  /** False when a later tenure has claimed the row, or its message is not as it was. */
  readonly holds: (row: Row) => Promise<boolean>;
  readonly settle: (row: Row, outcome: Outcome) => Promise<boolean>;
  readonly passOn: (row: Row, late: LateRow) => Promise<void>;
  /** Its time, ms since 1970. */
  readonly clock: { ms: number };
}

const PARTITION = 'test:partition';
const [EARLIER, LATER] = [{ epoch: 1 }, { epoch: 2 }];
const POSTED = { state: 'posted' } as const;

const messageOf = (id: number, text = 'hello'): Message => ({
  ref: { channel: { space: { platform: 'test', id: 's' }, id: 'c' }, id: String(id) },
  position: String(id).padStart(5, '0'),
  author: { id: 'ada', name: 'Ada', kind: 'person' },
  text: plainWords(text),
  files: [],
  stickers: [],
});

const arrivalOf = (id: number, text?: string, part: Partial<Arrival> = {}): Arrival => ({
  message: messageOf(id, text),
  purpose: WATCH,
  partition: PARTITION,
  writtenMs: id,
  ...part,
});

const idsOf = ({ rows }: { readonly rows: readonly Row[] }): string[] =>
  rows.map(({ ref }) => ref.id);

/** The rules of the inbox store. */
export const INBOX_CONTRACT = {
  'takes a message once, until it says something else': async ({ inbox }) => {
    const was = [];
    for (const text of ['one', 'one', 'two'])
      was.push((await inbox.accept(arrivalOf(1, text))).was);
    expect(was).toEqual(['new', 'same', 'changed']);
  },

  'claims the rows of a partition in the order in which they were written': async ({ inbox }) => {
    for (const [id, writtenMs] of [
      [1, 30],
      [2, 10],
      [3, 20],
    ] as const)
      await inbox.accept(arrivalOf(id, undefined, { writtenMs }));
    await inbox.accept(arrivalOf(4, undefined, { partition: 'other' }));
    expect(idsOf(await inbox.claim(PARTITION, 10, EARLIER))).toEqual(['2', '3', '1']);
  },

  'passes over the rows of some spaces, as if they were not there': async ({ inbox }) => {
    for (const [id, spaceId] of [
      [1, 's'],
      [2, 'far'],
      [3, 's'],
      [4, 'further'],
      [5, 'far'],
    ] as const) {
      const message = messageOf(id);
      const channel = { space: { platform: 'test', id: spaceId }, id: spaceId };
      await inbox.accept(
        arrivalOf(id, undefined, { message: { ...message, ref: { channel, id: String(id) } } }),
      );
    }
    const claimed = async (fromMs: number, ...ids: readonly string[]): Promise<string[]> => {
      const spaces = ids.map((id) => ({ platform: 'test', id }));
      return idsOf(await inbox.claim(PARTITION, 2, EARLIER, { spaces, fromMs }));
    };
    expect(await claimed(0, 's')).toEqual(['2', '4']);
    expect(await claimed(5, 's')).toEqual(['5']);
    expect(await claimed(0, 's', 'far')).toEqual(['4']);
    expect(await claimed(0, 's', 'far', 'further')).toEqual([]);
    const isFar = ({ id }: { readonly id: string }): boolean => id === 'far';
    const alone = await inbox.claim(PARTITION, 5, EARLIER, undefined, isFar);
    expect([idsOf(alone), alone.isCut]).toEqual([['1'], true]);
    const far = await inbox.claim(
      PARTITION,
      5,
      EARLIER,
      { spaces: [{ platform: 'test', id: 's' }], fromMs: 0 },
      isFar,
    );
    expect([idsOf(far), far.isCut]).toEqual([['2'], true]);
    expect(idsOf(await inbox.claim(PARTITION, 2, EARLIER))).toEqual(['1', '2']);
  },

  'has what is reported wait for earlier ones of a backfill, but not long': async ({
    inbox,
    settle,
    clock,
  }) => {
    const partition = 'test:channel:c';
    const missed = backfillPartition(partition);
    const claimed = async (): Promise<string[]> => idsOf(await inbox.claim(partition, 1, EARLIER));
    await inbox.accept(arrivalOf(2, undefined, { partition: missed }));
    await inbox.accept(arrivalOf(1, undefined, { partition }));
    const [first] = (await inbox.claim(partition, 1, EARLIER)).rows;
    expect(first?.ref.id).toBe('1');
    await settle(first!, POSTED);
    await inbox.accept(arrivalOf(3, undefined, { partition, writtenMs: 3 }));
    expect(idsOf(await inbox.claim(missed, 1, EARLIER))).toEqual(['2']);
    expect(await inbox.claim(partition, 1, EARLIER)).toEqual({
      rows: [],
      nextDueMs: clock.ms + 500,
    });
    clock.ms += 500;
    expect(await claimed()).toEqual(['3']);
  },

  'has what an earlier tenure left be worked on in one order with what was missed since': async ({
    inbox,
    settle,
    clock,
  }) => {
    const partition = 'test:channel:c';
    const missed = backfillPartition(partition);
    for (const id of [1, 3])
      await inbox.accept(arrivalOf(id, undefined, { partition, writtenMs: id }));
    await inbox.claim(partition, 2, EARLIER);
    for (const id of [2, 4])
      await inbox.accept(arrivalOf(id, undefined, { partition: missed, writtenMs: id }));
    await inbox.takeOver(slotOf(partition), LATER);
    clock.ms += 500;
    expect(idsOf(await inbox.claim(missed, 10, LATER))).toEqual([]);
    const { rows, nextDueMs } = await inbox.claim(partition, 10, LATER);
    expect({ ids: idsOf({ rows }), nextDueMs }).toEqual({ ids: ['1'], nextDueMs: clock.ms });
    await settle(rows[0]!, POSTED);
    expect(idsOf(await inbox.claim(partition, 10, LATER))).toEqual([]);
    expect(idsOf(await inbox.claim(missed, 10, LATER))).toEqual(['2', '3', '4']);
  },

  'has a backfill wait for none that waits for a retry': async ({ inbox, clock }) => {
    const partition = 'test:channel:c';
    const missed = backfillPartition(partition);
    await inbox.accept(arrivalOf(1, undefined, { partition, writtenMs: 1 }));
    await inbox.accept(arrivalOf(2, undefined, { partition: missed, writtenMs: 2 }));
    const { rows } = await inbox.claim(partition, 1, EARLIER);
    expect(await inbox.claim(missed, 1, EARLIER)).toEqual({ rows: [], nextDueMs: clock.ms + 500 });
    await inbox.release(rows, { tried: 1, dueMs: clock.ms + 60_000 });
    expect(idsOf(await inbox.claim(missed, 1, EARLIER))).toEqual(['2']);
  },

  'claims each row for one tenure, however many ask at the same moment': async ({
    inbox,
    holds,
  }) => {
    for (const id of [1, 2, 3]) await inbox.accept(arrivalOf(id));
    const claims = await Promise.all(
      [LATER, EARLIER].map((tenure) => inbox.claim(PARTITION, 10, tenure)),
    );
    const [later, earlier] = claims.map(({ rows }) => rows);
    const held = await Promise.all([...later!, ...earlier!].map((row) => holds(row)));
    expect(later!.map(({ ref }) => ref.id)).toEqual(['1', '2', '3']);
    expect(held.filter(Boolean)).toHaveLength(3);
  },

  'gives nothing of a later tenure to an earlier one': async ({ inbox }) => {
    await inbox.accept(arrivalOf(1));
    await inbox.claim(PARTITION, 10, LATER);
    expect(idsOf(await inbox.claim(PARTITION, 10, EARLIER))).toEqual([]);
  },

  'settles nothing for a tenure that has lost its row': async ({ inbox, settle }) => {
    await inbox.accept(arrivalOf(1));
    const [earlier] = (await inbox.claim(PARTITION, 10, EARLIER)).rows;
    const waiting = [{ partition: PARTITION, dueMs: 0 }];
    expect(await inbox.partitions(['test'], [slotOf(PARTITION)])).toEqual(waiting);
    const [later] = (await inbox.claim(PARTITION, 10, LATER)).rows;
    expect(await settle(earlier!, POSTED)).toBe(false);
    expect(await settle(later!, POSTED)).toBe(true);
    expect(await inbox.partitions(['test'], [slotOf(PARTITION)])).toEqual([]);
  },

  'settles nothing of a message that has changed': async ({ inbox, settle }) => {
    await inbox.accept(arrivalOf(1, 'before'));
    const [row] = (await inbox.claim(PARTITION, 10, EARLIER)).rows;
    await inbox.accept(arrivalOf(1, 'after'));
    expect(await settle(row!, POSTED)).toBe(false);
    const { rows } = await inbox.claim(PARTITION, 10, EARLIER);
    expect(rows).toMatchObject([{ message: { text: plainWords('after') }, attempts: 1 }]);
  },

  'lets a row that waits hold up those after it': async ({ inbox, clock }) => {
    for (const id of [1, 2]) await inbox.accept(arrivalOf(id));
    const { rows } = await inbox.claim(PARTITION, 10, EARLIER);
    const dueMs = clock.ms + 5_000;
    await inbox.release(rows, { tried: 1, dueMs });
    expect(await inbox.claim(PARTITION, 10, EARLIER)).toMatchObject({ rows: [], nextDueMs: dueMs });
    clock.ms = dueMs;
    const again = await inbox.claim(PARTITION, 10, EARLIER);
    expect(again.rows.map(({ attempts }) => attempts)).toEqual([2, 1]);
  },

  'says of what was begun that it may stand': async ({ inbox }) => {
    for (const id of [1, 2]) await inbox.accept(arrivalOf(id));
    const first = await inbox.claim(PARTITION, 1, EARLIER);
    const second = await inbox.claim(PARTITION, 2, LATER);
    expect([first, second].map(({ rows }) => rows.map(({ mayExist }) => mayExist))).toEqual([
      [false],
      [true, false],
    ]);
  },

  'takes over what was begun, and tells it from what was not': async ({ inbox, holds }) => {
    for (const id of [1, 2]) await inbox.accept(arrivalOf(id));
    const [theirs] = (await inbox.claim(PARTITION, 1, EARLIER)).rows;
    await inbox.takeOver(slotOf(PARTITION), LATER);
    expect(await holds(theirs!)).toBe(false);
    const { rows } = await inbox.claim(PARTITION, 2, LATER);
    expect(rows.map(({ mayExist }) => mayExist)).toEqual([true, false]);
    await inbox.takeOver(slotOf(PARTITION), LATER);
    expect(await holds(rows[0]!)).toBe(true);
  },

  'brings back nothing that was deleted': async ({ inbox, settle }) => {
    await inbox.accept(arrivalOf(1));
    expect(await inbox.markDeleted([messageOf(1).ref])).toEqual([PARTITION]);
    expect((await inbox.accept(arrivalOf(1, 'late'))).was).toBe('same');
    const { rows } = await inbox.claim(PARTITION, 1, EARLIER);
    expect(rows).toMatchObject([{ message: 'deleted' }]);
    expect(await settle(rows[0]!, { state: 'skipped', reason: 'deleted' })).toBe(true);
  },

  'has a message wait for a late channel besides, as it was last, in a slot with its own': async ({
    inbox,
    passOn,
    settle,
  }) => {
    const shared = groupPartition('g');
    const late = latePartition('g', 'test far');
    const other = latePartition('h', 'test far');
    await inbox.accept(arrivalOf(1, 'before', { partition: shared }));
    for (const [text, mayExist] of [
      ['before', false],
      ['after', true],
    ] as const) {
      await inbox.accept(arrivalOf(1, text));
      const partition = mayExist ? 'test:change:c:1' : shared;
      const [row] = (await inbox.claim(partition, 10, EARLIER)).rows;
      await passOn(row!, { partition: late, to: 'test far', mayExist, attempts: 0, dueMs: 0 });
      expect(await settle(row!, POSTED)).toBe(true);
      // What was settled passes nothing on.
      await passOn(row!, { partition: other, to: 'test far', mayExist, attempts: 0, dueMs: 0 });
    }
    expect(slotOf(late)).toBe(slotOf(shared));
    expect(await inbox.lateIn('h')).toEqual([]);
    expect(await inbox.lateIn('g')).toEqual([late]);
    expect(await inbox.waitsFor(messageOf(1).ref)).toEqual(['test far']);
    expect(await inbox.waitingFrom(late)).toEqual(new Map([['test c', 1]]));
    const { rows } = await inbox.claim(late, 10, EARLIER);
    const as = { to: 'test far', purpose: WATCH, mayExist: true };
    expect(rows).toMatchObject([{ ...as, message: { text: plainWords('after') } }]);
    expect(await settle(rows[0]!, POSTED)).toBe(true);
    expect(await inbox.lateIn('g')).toEqual([]);
  },
} satisfies Contract<InboxSubject>;
