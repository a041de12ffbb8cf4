import { beforeEach, describe, expect, it } from 'vitest';
import { createServiceKey } from '../../../../src/api/keys.ts';
import {
  createAvailabilities,
  type AvailabilityFor,
} from '../../../../src/api/realtime/availability.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';

const OPERATORS = createServiceKey('svck:operators');
const OWN = createServiceKey('svck:own', { isOwn: true });
const OTHER = createServiceKey('svck:other', { isOwn: true });
const noEngine = new AppError('bad-reply', 'the service cannot speak this here');
const broken = new AppError('unavailable', 'broken', { retryable: true });

let clock: TestClock;
let logged: unknown[];
let of: AvailabilityFor;

beforeEach(() => {
  clock = createTestClock();
  logged = [];
  const note = (about: unknown): void => void logged.push(about);
  of = createAvailabilities('speech', { clock, log: { warn: note, info: note } as never });
});

const failed = (key: typeof OWN, error: AppError, times = 1): void => {
  for (let time = 0; time < times; time += 1) of(key).failed(error);
};

describe('a realtime path', () => {
  it('is off for a key that is refused it, and for no other', () => {
    failed(OWN, serviceError(401, undefined, '', OWN));
    expect([OWN, OTHER, OPERATORS].map((key) => of(key).mayTry())).toEqual([false, true, true]);
    failed(OPERATORS, serviceError(404, undefined, '', OPERATORS));
    expect([OWN, OTHER, OPERATORS].map((key) => of(key).mayTry())).toEqual([false, true, false]);
    expect(logged).toMatchObject([{ ownKey: true }, { ownKey: false }]);
    of(OWN).succeeded();
    expect([OWN, OTHER, OPERATORS].map((key) => of(key).mayTry())).toEqual([true, true, false]);
  });

  it('is off for a key whose sessions the service ends, and for no other', () => {
    failed(OWN, noEngine, 3);
    expect([OWN, OPERATORS].map((key) => of(key).mayTry())).toEqual([false, true]);
  });

  it('is off for all keys where its connections break', () => {
    failed(OWN, broken, 2);
    failed(OPERATORS, new AppError('timeout', 'silent', { retryable: true }));
    expect([OWN, OTHER, OPERATORS].map((key) => of(key).mayTry())).toEqual([false, false, false]);
  });

  it('is tried at once with a new key of the same space', () => {
    failed(OWN, serviceError(401, undefined, '', OWN));
    expect(of(createServiceKey('svck:newer', { isOwn: true })).mayTry()).toBe(true);
  });

  it('is probed by a key that may try it, and not in vain by one that may not', async () => {
    failed(OPERATORS, broken, 3);
    await clock.advance(59_000);
    failed(OWN, serviceError(401, undefined, '', OWN));
    await clock.advance(1_000);
    expect(of(OWN).mayTry()).toBe(false);
    expect(of(OPERATORS).mayTry()).toBe(true);
    expect(of(OTHER).mayTry()).toBe(false);
    failed(OPERATORS, broken);
    await clock.advance(59_000);
    expect(of(OWN).mayTry()).toBe(false);
    of(OPERATORS).succeeded();
    expect(of(OWN).mayTry()).toBe(true);
  });
});
