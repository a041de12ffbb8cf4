import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Call,
  PACKET,
  hears,
  type Caller,
  type LibraryCaller,
} from '../../../fakes/discord/voice/dave/call.ts';
import { casesOf } from '../../../fakes/cases.ts';

const id = (index: number): string => String(158_049_329_150_427_136n + BigInt(index));
const [BOT, ANN, BEN, CAT] = [id(0), id(1), id(2), id(3)];

/** The library's client and some people, with everything said and done. */
const startCall = (...people: readonly string[]): { call: Call; bot: LibraryCaller } => {
  const call = new Call();
  const bot = call.joinByLibrary(BOT);
  for (const userId of people) call.join(userId);
  call.settle();
  return { call, bot };
};

const person = (call: Call, userId: string): Caller => call.callers.get(userId) as Caller;

test.each([2, 3, 5])('%i clients make a group and hear each other', (count) => {
  const { call } = startCall(...Array.from({ length: count - 1 }, (_, index) => id(index + 1)));
  expect(call.group.members).toHaveLength(count);
  expect(call.group.settled).toBe(true);
  expect(call.faults()).toEqual([]);
});

test('one client alone is in no group, and is at rest', () => {
  const { call, bot } = startCall();
  expect(call.group).toMatchObject({ settled: true, members: [], epoch: 0n });
  expect(bot.ready).toBe(false);
});

test('the group of the last one is given up, and made anew with the next', () => {
  for (const userId of [ANN, BOT]) {
    const { call, bot } = startCall(ANN);
    const left = userId === ANN ? bot : person(call, ANN);
    call.leave(userId);
    call.settle();
    expect(call.group.epoch).toBe(0n);
    expect(left.ready).toBe(false);
    if (userId === ANN) call.join(ANN);
    else call.joinByLibrary(BOT);
    call.settle();
    expect(left.ready).toBe(true);
    expect(call.faults()).toEqual([]);
  }
});

test('who left hears nothing that is said afterwards, until they come again', () => {
  const { call, bot } = startCall(ANN, BEN);
  const gone = person(call, ANN);
  call.leave(ANN);
  call.settle();
  expect(call.group.members).toEqual([BOT, BEN]);
  expect(hears(gone, bot.encrypt(PACKET), bot)).toBe(false);
  const again = call.join(ANN);
  call.settle();
  expect(hears(again, bot.encrypt(PACKET), bot)).toBe(true);
});

test('any order of joins, leaves and messages ends with everybody hearing everybody', () => {
  const who = fc.nat(4).map(id);
  const move = fc.record({ who, kind: fc.constantFrom('library', 'on-execute', 'at-once') });
  const messages = fc.array(fc.nat(), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.oneof(move, messages), { minLength: 1, maxLength: 16 }), (steps) => {
      const call = new Call();
      for (const step of steps)
        if (Array.isArray(step)) for (const choice of step) call.deliver(choice);
        else if (call.callers.has(step.who)) call.leave(step.who);
        else if (step.kind === 'library') call.joinByLibrary(step.who);
        else call.join(step.who, { keys: step.kind });
      call.settle();
      expect(call.group.settled).toBe(true);
      if (call.callers.size > 1) expect(call.faults()).toEqual([]);
    }),
    { numRuns: casesOf(25) },
  );
});

test.each([
  { userId: BOT, op: 29, commits: BOT },
  { userId: BOT, op: 29, commits: ANN },
  { userId: ANN, op: 29, commits: ANN },
  { userId: ANN, op: 29, commits: BOT },
  { userId: CAT, op: 30, commits: BOT },
  { userId: BOT, op: 30, commits: ANN },
] as const)('$userId, for whom op $op by $commits is damaged, is brought in again', (row) => {
  const { call } = startCall(ANN, BEN);
  const { userId, op } = row;
  if (userId === BOT && op === 30) call.leave(BOT);
  call.settle();
  call.group.damageNext(userId, op);
  call.group.onlyCommitsOf(row.commits);
  const expected = call.group.epoch + 1n;
  if (call.callers.has(BOT)) call.join(CAT);
  else call.joinByLibrary(BOT);
  while (call.group.epoch < expected) call.deliver(0);
  call.group.onlyCommitsOf();
  call.settle();
  expect(call.group.epoch).toBeGreaterThan(expected);
  expect(call.group.members).toHaveLength(call.callers.size);
  expect(call.faults()).toEqual([]);
});

test('who commits decides the first commit that names all proposals', () => {
  for (const userId of [BOT, ANN]) {
    const { call } = startCall(ANN);
    call.group.onlyCommitsOf(userId);
    call.join(BEN);
    call.settle();
    expect(call.group.epoch).toBe(2n);
    expect(call.faults()).toEqual([]);
    const other = userId === BOT ? ANN : BOT;
    expect(call.group.refusals).toEqual([{ userId: other, reason: 'others commit' }]);
  }
});

test('who leaves before anybody has committed their entry is in no group', () => {
  for (const people of [[], [ANN]]) {
    const { call } = startCall(...people);
    call.group.onlyCommitsOf('nobody');
    call.join(BEN);
    call.settle();
    expect(call.group.settled).toBe(false);
    call.leave(BEN);
    call.join(CAT);
    call.settle();
    call.group.onlyCommitsOf();
    call.join(ANN === people[0] ? BEN : ANN);
    call.settle();
    expect(call.group.members).toHaveLength(people.length + 3);
    expect(call.faults()).toEqual([]);
  }
});

test('a member that offers a new key package is brought in again by it', () => {
  const { call, bot } = startCall(ANN, BEN);
  bot.dave.reinit();
  call.settle();
  expect(call.group.members).toHaveLength(3);
  expect(call.faults()).toEqual([]);
});

test('packets of the old key are understood until the transition is executed, and after it', () => {
  const { call, bot } = startCall(ANN);
  const ann = person(call, ANN);
  const release = call.group.holdExecute();
  call.join(BEN);
  call.settle();
  expect(call.group.settled).toBe(false);
  expect(hears(bot, ann.encrypt(PACKET), ann)).toBe(true);
  const late = ann.encrypt(PACKET);
  expect(hears(person(call, BEN), ann.encrypt(PACKET), ann)).toBe(false);
  expect(person(call, BEN).ready).toBe(false);
  release();
  call.settle();
  expect(hears(bot, late, ann)).toBe(true);
  expect(call.faults()).toEqual([]);
});

test('a person who has yet to change keys understands those who have', () => {
  const { call, bot } = startCall(ANN);
  call.group.holdExecute();
  call.join(BEN);
  call.settle();
  expect(hears(person(call, ANN), bot.encrypt(PACKET), bot)).toBe(true);
});

test.each([
  { keys: 'at-once', understood: false },
  { keys: 'on-execute', understood: true },
] as const)('who changes keys $keys is understood by who is behind: $understood', (row) => {
  const call = new Call();
  const ann = call.join(ANN, { keys: row.keys });
  const bot = call.joinByLibrary(BOT);
  call.settle();
  call.join(BEN);
  while (call.group.epoch < 2n) call.deliver(0);
  // Ann is told of the new epoch, and the bot is not.
  call.deliver(0);
  const packet = ann.encrypt(PACKET);
  expect(hears(bot, packet, ann)).toBe(row.understood);
  call.settle();
  expect(call.faults()).toEqual([]);
});

test('nobody ever understands a stranger, whose failures the library throws after transition 0', () => {
  const { call, bot } = startCall();
  const ann = call.join(ANN, { strange: true });
  call.settle();
  expect(call.group.members).toContain(ANN);
  expect(bot.dave.lastTransitionId).toBe(0);
  for (let count = 0; count < 36; count += 1)
    expect(bot.decrypt(ann.encrypt(PACKET), ANN)).toBeUndefined();
  expect(() => bot.decrypt(ann.encrypt(PACKET), ANN)).toThrow('decrypt');
});

test('with transition ids of 0 a change is neither confirmed nor executed', () => {
  const { call, bot } = startCall(ANN);
  call.join(BEN);
  call.settle();
  expect(bot.dave.lastTransitionId).toBe(1);
  call.group.useTransitionZero(true);
  call.join(CAT);
  call.settle();
  expect(bot.dave.lastTransitionId).toBe(0);
  expect(call.faults()).toEqual([]);
});

test('a client that reports an old transition is brought in again', () => {
  const { call, bot } = startCall(ANN, BEN);
  bot.dave.recoverFromInvalidTransition(0);
  expect(bot.ready).toBe(false);
  call.settle();
  expect(call.group.members).toEqual([BOT, ANN, BEN]);
  expect(call.faults()).toEqual([]);
});

test('when everybody reports a failure the group is made anew', () => {
  const { call } = startCall(ANN);
  call.group.damageNext(BOT, 29);
  call.group.damageNext(ANN, 29);
  call.join(BEN);
  call.settle();
  expect(call.group.members).toHaveLength(3);
  expect(call.faults()).toEqual([]);
});

test('key packages of before do no harm to a group that is made anew', () => {
  const call = new Call();
  for (const userId of [ANN, BEN]) call.join(userId);
  call.group.recreate();
  call.settle();
  expect(call.group.members).toHaveLength(2);
  expect(call.faults()).toEqual([]);
});

test('people speak on with the old keys while the group is made anew', () => {
  const { call, bot } = startCall(ANN, BEN);
  const [ann, ben] = [person(call, ANN), person(call, BEN)];
  const release = call.group.holdExecute();
  call.group.recreate();
  call.settle();
  expect(hears(ben, ann.encrypt(PACKET), ann)).toBe(true);
  expect(hears(bot, ann.encrypt(PACKET), ann)).toBe(false);
  release();
  call.settle();
  expect(call.faults()).toEqual([]);
});

test('a client without encryption opens the channel for as long as it is there', () => {
  const { call, bot } = startCall(ANN);
  call.joinOpenly(CAT);
  expect(call.group.version).toBe(0);
  const before = person(call, ANN).encrypt(PACKET);
  expect(PACKET.equals(before)).toBe(false);
  call.settle();
  expect(bot.dave.protocolVersion).toBe(0);
  expect(hears(bot, before, person(call, ANN))).toBe(true);
  call.join(BEN);
  call.settle();
  expect(call.faults(false)).toEqual([]);
  call.group.disconnect(CAT);
  expect(call.group.version).toBe(1);
  expect(PACKET.equals(person(call, ANN).encrypt(PACKET))).toBe(true);
  call.settle();
  expect(call.group.members).toEqual([BOT, ANN, BEN]);
  expect(call.faults()).toEqual([]);
});

test('a test can open and close the channel too', () => {
  const { call } = startCall(ANN);
  for (const encrypted of [false, true]) {
    call.group.encrypt(encrypted);
    call.settle();
    expect(call.group.version).toBe(encrypted ? 1 : 0);
    expect(call.faults(encrypted)).toEqual([]);
  }
});

test('a channel that closes again before anybody has seen it open stays closed', () => {
  const { call } = startCall(ANN);
  call.group.encrypt(false);
  call.group.encrypt(true);
  call.settle();
  expect(call.group.settled).toBe(true);
  expect(call.faults()).toEqual([]);
});

test('a stage is open, and the library fails when it is told of an external sender there', () => {
  const call = new Call({ encrypted: false });
  call.joinByLibrary(BOT);
  call.join(ANN);
  call.settle();
  expect(call.group).toMatchObject({ version: 0, settled: true, members: [] });
  expect(call.faults(false)).toEqual([]);
  call.group.sendExternalSender(BOT);
  expect(() => call.settle()).toThrow('No session');
});
