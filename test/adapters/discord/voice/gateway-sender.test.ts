import { describe, expect, it } from 'vitest';
import {
  createSender,
  type Sent,
  type VoicePayload,
} from '../../../../adapters/discord/voice/gateway.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const start = (isThere = false) => {
  const clock = createTestClock(0);
  const shard: { says: Sent } = { says: 'sent' };
  const sent: (readonly [atMs: number, channelId: string | null])[] = [];
  const send = ({ d }: VoicePayload): Sent => {
    if (shard.says === 'sent') sent.push([clock.nowMs(), d.channel_id]);
    return shard.says;
  };
  const sender = createSender({ send, clock, isThere });
  const want = (channel_id: string | null) => sender.send({ op: 4, d: { channel_id } });
  return { clock, shard, sent, send: want, sender };
};

describe('asking for a place', () => {
  it('is done at once, then after ever longer waits up to 3 s, the newest wish alone', async () => {
    const { clock, sent, send } = start();
    for (let at = 0; at < 200; at += 1) {
      send(`${at}`);
      await clock.advance(1_000);
    }
    const gaps = sent.slice(1).map(([atMs], at) => atMs - sent[at]![0]);
    expect(sent[0]).toEqual([0, '0']);
    expect(gaps.slice(0, 5)).toEqual([1_000, 2_000, 3_000, 3_000, 3_000]);
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

  it('does not wait after a connection that lasted, and waits on after one that did not', async () => {
    const { clock, sent, send, sender } = start();
    for (let at = 0; at < 3; at += 1) {
      send('a');
      await clock.advance(4_000);
    }
    sender.connected();
    await clock.advance(4_999);
    sent.length = 0;
    send('a');
    send('a');
    await clock.advance(2_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent).toHaveLength(2);
    sender.connected();
    await clock.advance(5_000);
    sent.length = 0;
    send('a');
    send('a');
    await clock.advance(1_000);
    expect(sent).toHaveLength(2);
  });

  it('waits for the shard, which may be away', async () => {
    const { clock, shard, sent, send } = start();
    shard.says = 'away';
    send('a');
    await clock.advance(2_500);
    send('b');
    shard.says = 'sent';
    await clock.advance(5_000);
    expect(sent.map(([, channel]) => channel)).toEqual(['b']);
    expect(clock.waiting).toBe(0);
  });
});

describe('a wish that the shard has no room for', () => {
  it('waits for it, is told of as such, and goes out alone', async () => {
    const { clock, shard, sent, send, sender } = start();
    shard.says = 'crowded';
    send('a');
    expect(sender.isCrowded).toBe(true);
    await clock.advance(2_000);
    send('b');
    shard.says = 'away';
    await clock.advance(1_000);
    expect(sender.isCrowded).toBe(false);
    shard.says = 'crowded';
    await clock.advance(1_000);
    expect(sender.isCrowded).toBe(true);
    shard.says = 'sent';
    await clock.advance(1_000);
    expect([sent, sender.isCrowded]).toEqual([[[5_000, 'b']], false]);
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

  it('is not asked for where no wish to come went out', async () => {
    const { clock, shard, sent, send, sender } = start();
    send(null);
    shard.says = 'crowded';
    send('a');
    await clock.advance(15_000);
    send(null);
    shard.says = 'sent';
    await clock.advance(60_000);
    expect([sent, sender.isThere, clock.waiting]).toEqual([[], false, 0]);
    send('a');
    expect(sender.isThere).toBe(true);
    send(null);
    send(null);
    expect(sent.map(([, channel]) => channel)).toEqual(['a', null]);
  });

  it('waits for the shard too: nobody stays where nobody is heard', async () => {
    const { clock, shard, sent, send } = start(true);
    shard.says = 'away';
    send(null);
    await clock.advance(10_000);
    shard.says = 'sent';
    await clock.advance(1_000);
    expect(sent).toEqual([[11_000, null]]);
    expect(clock.waiting).toBe(0);
  });

  it('is not waited for any more when it is stopped', async () => {
    const { clock, shard, send, sender } = start(true);
    shard.says = 'away';
    send(null);
    sender.stop();
    expect(clock.waiting).toBe(0);
  });
});
