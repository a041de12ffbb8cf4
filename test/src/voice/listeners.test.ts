import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createTrouble, createBargeIn } from '../../../src/voice/listeners.ts';
import { createTestClock } from '../../fakes/clock.ts';
import type { RoomChoices } from '../../../src/model/room.ts';

const busy = new AppError('rate-limited', 'slow down', { retryable: true });

const setUp = () => {
  const clock = createTestClock();
  const told: string[] = [];
  const trouble = createTrouble({
    clock,
    show: ({ code }) => void told.push(code),
    over: (wasShown) => void told.push(wasShown ? 'over' : 'quietly over'),
  });
  return { clock, told, trouble };
};

describe('trouble of recognition', () => {
  it('that comes and goes is not shown', async () => {
    const { clock, told, trouble } = setUp();
    for (let times = 0; times < 12; times += 1) {
      trouble.report(busy);
      await clock.advance(2_000);
      trouble.report(undefined);
      await clock.advance(2_000);
    }
    expect(told).toEqual([]);
    await clock.advance(10_000);
    expect(told).toEqual(['quietly over']);
  });

  it('that lasts is shown once, and is over when recognition works for a while', async () => {
    const { clock, told, trouble } = setUp();
    for (let times = 0; times < 6; times += 1) {
      trouble.report(busy);
      await clock.advance(4_000);
      trouble.report(undefined);
      await clock.advance(4_000);
    }
    expect(told).toEqual(['rate-limited']);
    await clock.advance(6_000);
    expect(told).toEqual(['rate-limited', 'over']);
    trouble[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });
});

describe('trouble of recognition that a line has passed', () => {
  it('is not over while others wait for long, but a while after they were recognised', async () => {
    const { clock, told, trouble } = setUp();
    trouble.report(busy);
    await clock.advance(4_000);
    trouble.report(undefined);
    await clock.advance(8_000);
    trouble.behind(true);
    await clock.advance(60_000);
    expect(told).toEqual(['rate-limited']);
    trouble.behind(false);
    await clock.advance(10_000);
    expect(told).toEqual(['rate-limited', 'over']);
    trouble.behind(true);
    trouble.behind(false);
    expect(clock.waiting).toBe(0);
  });
});

const start = (mode: RoomChoices['bargeIn']) => {
  const clock = createTestClock();
  const did: string[] = [];
  const bargeIn = createBargeIn({
    clock,
    mode: () => mode,
    duck: (isOn) => did.push(isOn ? 'lower' : 'raise'),
    interrupt: () => did.push('interrupt'),
  });
  return { clock, did, bargeIn };
};

describe('somebody who speaks while the bot does', () => {
  it('changes nothing unless the room wants it', async () => {
    const { clock, did, bargeIn } = start('off');
    bargeIn.began('ann');
    bargeIn.ended('ann');
    await clock.advance(10_000);
    expect(did).toEqual([]);
  });

  it('lowers the bot’s voice until the last one has ended', () => {
    const { did, bargeIn } = start('lower');
    bargeIn.began('ann');
    bargeIn.began('bob');
    bargeIn.ended('ann');
    expect(did).not.toContain('raise');
    bargeIn.ended('bob');
    bargeIn.ended('bob');
    expect(did).toEqual(['lower', 'lower', 'raise']);
  });

  it('keeps it low as long as their voice comes in, and raises it soon afterwards', async () => {
    const { clock, did, bargeIn } = start('lower');
    bargeIn.began('ann');
    for (let sent = 0; sent < 600; sent += 1) {
      await clock.advance(20);
      bargeIn.packet('ann');
      bargeIn.packet('bob');
    }
    expect(did).toEqual(['lower']);
    await clock.advance(999);
    expect(did).toEqual(['lower']);
    await clock.advance(1);
    expect(did).toEqual(['lower', 'raise']);
    expect(clock.waiting).toBe(0);
  });

  it('is not kept low by somebody whose microphone never falls silent', async () => {
    const { clock, did, bargeIn } = start('lower');
    bargeIn.began('ann');
    for (let sent = 0; sent < 800; sent += 1) {
      await clock.advance(20);
      bargeIn.packet('ann');
    }
    expect(did).toEqual(['lower', 'raise']);
  });

  it('ends what is said, where the room wants that', () => {
    const { did, bargeIn } = start('stop');
    bargeIn.began('ann');
    expect(did).toEqual(['interrupt']);
  });

  it('leaves nothing behind', async () => {
    const { clock, did, bargeIn } = start('lower');
    bargeIn.began('ann');
    bargeIn[Symbol.dispose]();
    expect(did).toEqual(['lower', 'raise']);
    expect(clock.waiting).toBe(0);
  });
});
