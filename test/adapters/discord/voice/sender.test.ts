import { describe, expect, it } from 'vitest';
import { createSender } from '../../../../adapters/discord/voice/sender.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const start = () => {
  const clock = createTestClock(0);
  const shard = { isReady: true };
  const sent: (readonly [atMs: number, channelId: string | null])[] = [];
  const sender = createSender(({ d }) => {
    if (shard.isReady) sent.push([clock.nowMs(), d.channel_id]);
    return shard.isReady;
  }, clock);
  const send = (channel_id: string | null) => sender.send({ op: 4, d: { channel_id } });
  return { clock, shard, sent, send, sender };
};

describe('asking for a place', () => {
  it('is done at once, then after ever longer waits up to 30 s, the newest wish alone', async () => {
    const { clock, sent, send } = start();
    for (let at = 0; at < 200; at += 1) {
      send(`${at}`);
      await clock.advance(1_000);
    }
    const gaps = sent.slice(1).map(([atMs], at) => atMs - sent[at]![0]);
    expect(sent[0]).toEqual([0, '0']);
    expect(gaps.slice(0, 5)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(Math.max(...gaps)).toBe(30_000);
    expect(sent.every(([atMs, channel]) => Number(channel) <= atMs / 1_000)).toBe(true);
  });

  it('waits no longer after a minute without', async () => {
    const { clock, sent, send } = start();
    for (let at = 0; at < 4; at += 1) {
      send('a');
      await clock.advance(20_000);
    }
    await clock.advance(60_000);
    sent.length = 0;
    send('a');
    send('a');
    await clock.advance(1_000);
    expect(sent.map(([atMs]) => atMs)).toEqual([140_000, 141_000]);
  });

  it('waits for the shard, which may be away', async () => {
    const { clock, shard, sent, send } = start();
    shard.isReady = false;
    send('a');
    await clock.advance(2_500);
    send('b');
    shard.isReady = true;
    await clock.advance(5_000);
    expect(sent.map(([, channel]) => channel)).toEqual(['b']);
    expect(clock.waiting).toBe(0);
  });
});

describe('leaving', () => {
  it('is done at once, and takes back what waited', async () => {
    const { clock, sent, send } = start();
    send('a');
    send('a');
    send(null);
    await clock.advance(60_000);
    expect(sent).toEqual([
      [0, 'a'],
      [0, null],
    ]);
  });

  it('waits for the shard too: nobody stays where nobody is heard', async () => {
    const { clock, shard, sent, send } = start();
    shard.isReady = false;
    send(null);
    await clock.advance(10_000);
    shard.isReady = true;
    await clock.advance(1_000);
    expect(sent).toEqual([[11_000, null]]);
    expect(clock.waiting).toBe(0);
  });

  it('is not waited for any more when it is stopped', async () => {
    const { clock, shard, send, sender } = start();
    shard.isReady = false;
    send(null);
    sender.stop();
    expect(clock.waiting).toBe(0);
  });
});
