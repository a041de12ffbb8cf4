import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { declareVoiceMetrics } from '../../../src/voice/metrics.ts';
import { caption, openDisplay, pass } from './captions/fakes.ts';

const start = () => {
  const metrics = createMetrics();
  const room = { received: 0, lost: 0, undecryptable: 0 };
  const rooms = [{ health: () => [room] }];
  const { captionShown, roomEnded } = declareVoiceMetrics(metrics, () => rooms);
  const read = async (name: string) => {
    const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  const end = () => roomEnded(rooms.pop()!);
  return { room, rooms, captionShown, end, read };
};

describe('the loss of rooms', () => {
  it('is the share of what came since the last look, one value for each room', async () => {
    const { room, read } = start();
    Object.assign(room, { received: 900, lost: 100 });
    expect(await read('dragoman_voice_room_loss_ratio_sum')).toBeCloseTo(0.1);
    Object.assign(room, { received: 1_900, lost: 100 });
    expect(await read('dragoman_voice_room_loss_ratio_sum')).toBeCloseTo(0.1);
    expect(await read('dragoman_voice_room_loss_ratio_count')).toBe(2);
    expect(await read('dragoman_voice_packets_total{outcome="received"}')).toBe(1_900);
  });

  it('is not measured where hardly anybody spoke', async () => {
    const { room, read } = start();
    Object.assign(room, { received: 10, lost: 10 });
    expect(await read('dragoman_voice_room_loss_ratio_count')).toBe(0);
    expect(await read('dragoman_voice_packets_total{outcome="lost"}')).toBe(10);
  });

  it('is measured at the end of a room that nobody looked at', async () => {
    const { room, end, read } = start();
    Object.assign(room, { received: 90, lost: 10 });
    end();
    expect(await read('dragoman_voice_room_loss_ratio_sum')).toBeCloseTo(0.1);
    expect(await read('dragoman_voice_packets_total{outcome="lost"}')).toBe(10);
    expect(await read('dragoman_voice_room_loss_ratio_count')).toBe(1);
  });

  it('is the same however often somebody looks', async () => {
    const { room, read } = start();
    for (const received of [20, 40, 60]) {
      Object.assign(room, { received, lost: received / 4 });
      await read('dragoman_voice_rooms');
    }
    expect(await read('dragoman_voice_room_loss_ratio_count')).toBe(1);
    expect(await read('dragoman_voice_room_loss_ratio_sum')).toBeCloseTo(0.2);
    expect(await read('dragoman_voice_packets_total{outcome="received"}')).toBe(60);
  });

  it('stays what it was when members leave, and ends with the room', async () => {
    const { room, rooms, read } = start();
    Object.assign(room, { received: 900, lost: 100 });
    expect(await read('dragoman_voice_rooms')).toBe(1);
    Object.assign(room, { received: 0, lost: 0 });
    expect(await read('dragoman_voice_packets_total{outcome="lost"}')).toBe(100);
    rooms.pop();
    expect(await read('dragoman_voice_rooms')).toBe(0);
  });
});

it('counts lines without words from 0 on', async () => {
  const metrics = createMetrics();
  const { wordless } = declareVoiceMetrics(metrics, () => []);
  expect(await metrics.text()).toContain('dragoman_captions_wordless_total 0');
  wordless();
  expect(await metrics.text()).toContain('dragoman_captions_wordless_total 1');
});

describe('the lag of a caption', () => {
  it('is measured in seconds, none below zero', async () => {
    const { captionShown, read } = start();
    captionShown(1_500);
    captionShown(-20);
    expect(await read('dragoman_caption_lag_seconds_sum')).toBe(1.5);
    expect(await read('dragoman_caption_lag_seconds_count')).toBe(2);
  });

  it('ends when the channel has it, and is measured once', async () => {
    const lags: number[] = [];
    const { clock, display } = openDisplay(
      { latencyMs: () => 300 },
      { listener: { captionShown: (lagMs) => void lags.push(lagMs) } },
    );
    const endMs = clock.nowMs() - 1_200;
    display.show(caption(1, { endMs, isFinal: false }));
    await pass(clock, display.settled());
    expect(lags).toEqual([]);
    display.show(caption(1, { endMs }));
    await pass(clock, display.settled());
    const shown = caption(1, { endMs, translations: new Map([['es', { text: 'x', done: true }]]) });
    display.show(shown);
    await pass(clock, display.settled());
    expect(lags).toHaveLength(1);
    expect(lags[0]).toBeGreaterThanOrEqual(1_500);
  });
});
