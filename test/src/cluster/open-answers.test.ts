import { expect, it } from 'vitest';
import { createOpenAnswers } from '../../../src/cluster/open-answers.ts';
import type { AwaitedAnswer } from '../../../src/ports/store.ts';
import { openStore } from '../../../src/store/index.ts';
import { createOpenAnswerStore } from '../../../src/store/open-answers.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { silentLog } from '../../fakes/silent-log.ts';

const AWAITED: AwaitedAnswer = { spaceId: 'team', memberId: 'ada', address: '{"in":"a"}' };

/** Processes on one database, each with what it told people of. */
const processes = async (isAlone: boolean) => {
  const store = await openStore('sqlite::memory:');
  const clock = createTestClock();
  const start = async (tell = async (): Promise<void> => undefined) => {
    const told: AwaitedAnswer[] = [];
    const keep = createOpenAnswers({
      stored: createOpenAnswerStore(store, () => clock.nowMs()),
      leases: store.leases,
      isAlone,
      log: silentLog,
      clock,
    });
    const answers = keep('chat', async (one) => {
      told.push(one);
      await tell();
    });
    await answers.resume();
    return { told, answers };
  };
  return { store, clock, start };
};

it('tells of an answer whose process has ended, once, and of none that has come', async () => {
  const { store, start } = await processes(true);
  const first = await start();
  first.answers.begin(AWAITED);
  const come = first.answers.begin({ ...AWAITED, memberId: 'bob' });
  come();
  const awaited = () => store.selectFrom('open_answer').select('member_id').execute();
  await expect.poll(awaited).toEqual([{ member_id: 'ada' }]);
  expect((await start()).told).toEqual([AWAITED]);
  expect((await start()).told).toEqual([]);
  expect(first.told).toEqual([]);
});

it('keeps nobody waiting for somebody who cannot be told', async () => {
  const { store, start } = await processes(true);
  const first = await start();
  const bob = { ...AWAITED, memberId: 'bob' };
  for (const awaited of [AWAITED, bob]) first.answers.begin(awaited);
  await store.written();
  const { told } = await start(() => new Promise(() => undefined));
  expect(told).toEqual(expect.arrayContaining([AWAITED, bob]));
});

it('tells of nothing that another process works on, and of it once that has ended', async () => {
  const { store, clock, start } = await processes(false);
  const first = await start();
  first.answers.begin(AWAITED);
  await store.written();
  const second = await start();
  expect(second.told).toEqual([]);
  await first.answers[Symbol.asyncDispose]();
  await clock.advance(60_000);
  await expect.poll(() => second.told).toEqual([AWAITED]);
  await second.answers[Symbol.asyncDispose]();
});
