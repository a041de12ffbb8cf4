import { describe, expect, it } from 'vitest';
import { createBargeIn } from '../../../src/voice/barge-in.ts';
import type { RoomChoices } from '../../../src/model/space.ts';
import { createTestClock } from '../../fakes/clock.ts';

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
