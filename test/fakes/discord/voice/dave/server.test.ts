import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { readCommit, readWelcome } from './commit.ts';
import { createDaveGroup } from './group.ts';
import { createDavePerson, type Server } from './person.ts';
import type { DaveMessage } from './port.ts';
import { TlsReader, vector } from './tls.ts';
import { casesOf } from '../../../cases.ts';

const id = (index: number): string => String(158_049_329_150_427_136n + BigInt(index));
const [ANN, BEN, CAT, DAN] = [id(1), id(2), id(3), id(4)];

interface Held {
  readonly from: string;
  readonly bytes: Uint8Array;
}

/** A group whose server sees commits only when a test hands them over. */
const startHolding = (...people: readonly string[]) => {
  const group = createDaveGroup({ channelId: id(9) });
  const commits: Held[] = [];
  const server: Server = {
    channelId: id(9),
    receive: (from, message) => {
      if (message.op === 28) commits.push({ from, bytes: message.bytes });
      else group.receive(from, message);
    },
  };
  const join = (userId: string): void => group.connect(createDavePerson(server, userId));
  const commit = (from: string, bytes: Uint8Array): void => group.receive(from, { op: 28, bytes });
  const last = (from?: string): Held => {
    const found = commits.findLast((each) => from === undefined || each.from === from);
    if (found === undefined) throw new Error('nobody has committed');
    return found;
  };
  const commitLast = (): void => commit(last().from, last().bytes);
  for (const userId of people) join(userId);
  return { group, commits, join, commit, last, commitLast };
};

test('a commit that leaves somebody out, or has no welcome for them, is refused', () => {
  const { group, last, commit, join } = startHolding(ANN, BEN);
  const { from, bytes } = last();
  join(CAT);
  commit(from, bytes);
  commit(from, readCommit(last(from).bytes).bytes);
  expect(group.refusals).toEqual([
    { userId: from, reason: 'the commit does not name just the proposals that stand' },
    { userId: from, reason: 'the welcome is not for those who are added' },
  ]);
  commit(from, last(from).bytes);
  expect(group.members).toHaveLength(3);
});

test('what has been proposed is committed before anything else is', () => {
  const { group, commits, commitLast, join } = startHolding(ANN, BEN);
  commitLast();
  join(CAT);
  const { length } = commits;
  join(DAN);
  expect(commits).toHaveLength(length);
  commitLast();
  expect(group.members).toEqual([ANN, BEN, CAT]);
  commitLast();
  expect(group.members).toEqual([ANN, BEN, CAT, DAN]);
  expect(group.refusals).toEqual([]);
});

test('who has left before their entry was committed is proposed no more', () => {
  const { group, commitLast, join } = startHolding(ANN, BEN);
  commitLast();
  join(CAT);
  group.disconnect(CAT);
  join(DAN);
  commitLast();
  expect(group.members).toEqual([ANN, BEN, DAN]);
  expect(group.refusals).toEqual([]);
});

test('only its author can bring a commit to the server', () => {
  const { group, last, commit, commitLast, join } = startHolding(ANN, BEN);
  commitLast();
  join(CAT);
  const { from, bytes } = last();
  commit(from === ANN ? BEN : ANN, bytes);
  expect(group.refusals.at(-1)?.reason).toBe('the commit is of another leaf');
  commit(from, bytes);
  expect(group.members).toHaveLength(3);
});

test('everybody gets a welcome of their own', () => {
  const group = createDaveGroup({ channelId: id(9) });
  const recipients: (readonly string[])[] = [];
  group.onlyCommitsOf(CAT);
  for (const userId of [ANN, BEN, CAT]) {
    const one = createDavePerson(group, userId);
    const send = (message: DaveMessage): void => {
      if (message.op === 30) recipients.push(readWelcome(message.bytes.subarray(2)).recipients);
      one.send(message);
    };
    group.connect({ userId, send });
  }
  expect(group.members).toHaveLength(3);
  expect(recipients.map((each) => each.length)).toEqual([1, 1]);
  expect(new Set(recipients.flat()).size).toBe(2);
});

test('who reports a failure while there is no group is told to begin anew', () => {
  const group = createDaveGroup({ channelId: id(9) });
  const said: DaveMessage[] = [];
  group.connect({ userId: ANN, send: (message) => said.push(message) });
  group.connect(createDavePerson(group, BEN));
  group.receive(ANN, { op: 31, d: { transition_id: 0 } });
  expect(said.map(({ op }) => op)).toEqual([25, 27, 24, 27]);
  expect(said[2]).toEqual({ op: 24, d: { protocol_version: 1, epoch: 1 } });
});

test('who never says that it is ready is not waited for', () => {
  vi.useFakeTimers();
  try {
    const group = createDaveGroup({ channelId: id(9), readyTimeoutMs: 2_000 });
    const said: number[] = [];
    const ann = createDavePerson(
      {
        channelId: id(9),
        receive: (from, message) => message.op !== 23 && group.receive(from, message),
      },
      ANN,
    );
    group.connect({ userId: ANN, send: (message) => (said.push(message.op), ann.send(message)) });
    for (const userId of [BEN, CAT]) group.connect(createDavePerson(group, userId));
    expect(group.settled).toBe(false);
    group.connect(createDavePerson(group, DAN));
    expect(group.members).toEqual([ANN, BEN, CAT]);
    vi.advanceTimersByTime(2_000);
    expect(said.slice(-3)).toEqual([22, 27, 29]);
    expect(group.members).toEqual([ANN, BEN, CAT, DAN]);
    vi.advanceTimersByTime(2_000);
    expect(said.at(-1)).toBe(22);
    expect(group.settled).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('a key package that is not its sender’s own, or damaged, is refused', async () => {
  const group = createDaveGroup({ channelId: id(9) });
  group.connect(createDavePerson(group, ANN));
  const ben = createDavePerson(
    {
      channelId: id(9),
      receive: (_from, message) => {
        if (message.op !== 26) return;
        group.receive(CAT, message);
        const damaged = Buffer.from(message.bytes);
        damaged.writeUInt8(damaged.readUInt8(200) ^ 1, 200);
        group.receive(BEN, { op: 26, bytes: damaged });
        group.receive(BEN, { op: 26, bytes: damaged.subarray(0, 100) });
      },
    },
    BEN,
  );
  group.connect({ userId: CAT, send: () => undefined });
  group.connect(ben);
  expect(group.refusals).toEqual([
    { userId: CAT, reason: 'the key package is of another user' },
    { userId: BEN, reason: 'the signature of the key package is wrong' },
    { userId: BEN, reason: 'the bytes end too early' },
  ]);
  for (const userId of [CAT, BEN]) group.disconnect(userId);
  group.connect(createDavePerson(group, BEN));
  await group.whenSettled();
  expect(group.members).toEqual([ANN, BEN]);
});

test('bytes that are no commit are refused, whatever they are', () => {
  const group = createDaveGroup({ channelId: id(9) });
  for (const userId of [ANN, BEN]) group.connect(createDavePerson(group, userId));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const before = group.refusals.length;
      group.receive(ANN, { op: 28, bytes });
      expect(group.refusals).toHaveLength(before + 1);
      expect(group.epoch).toBe(1n);
    }),
  );
});

test('a vector of any length is read as it was written', () => {
  const length = fc.constantFrom(0, 1, 63, 64, 16_383, 16_384, 70_000);
  fc.assert(
    fc.property(length, length, (one, other) => {
      const bytes = vector(vector(Buffer.alloc(one, 1)), vector(Buffer.alloc(other, 2)));
      const read = new TlsReader(bytes).each((reader) => reader.vector());
      expect(read).toEqual([Buffer.alloc(one, 1), Buffer.alloc(other, 2)]);
    }),
    { numRuns: casesOf(10, 5) },
  );
});
