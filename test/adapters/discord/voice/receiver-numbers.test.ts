import { describe, expect, it } from 'vitest';
import { startReceiver } from './receiver-support.ts';

describe('what somebody sends', () => {
  it('is counted and numbered truly, over the end of the numbers and of one number of theirs', () => {
    const { receiver, packets, speaks, send, skip } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1, 10);
    skip(1, 4);
    send(1, 2);
    speaks('ann', 2);
    send(2, 5);
    expect(receiver.stats()).toEqual([
      { memberId: 'ann', received: 17, lost: 4, undecryptable: 0 },
    ]);
    const steps = packets.slice(1).map(({ sequence }, at) => sequence - packets[at]!.sequence);
    expect(steps.slice(0, 11)).toEqual([...Array(9).fill(1), 5, 1]);
  });

  it('is known to have been missed for seconds, where packets were sent and time went by', () => {
    const { receiver, told, time, speaks, send, skip } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    speaks('bob', 2);
    send(1, 10);
    send(2, 10);
    // A pause: nothing was sent.
    time.ms += 60_000;
    send(1, 10);
    // A jump in no time.
    skip(1, 500);
    send(1, 10);
    // A few packets.
    skip(1, 49);
    time.ms += 980;
    send(1, 10);
    // Of somebody who is not to be heard.
    skip(2, 500);
    time.ms += 10_000;
    send(2, 10);
    expect(told).toEqual([]);
    skip(1, 500);
    time.ms += 9_000;
    send(1, 10);
    expect(told).toEqual(['missed 10000']);
  });

  it('is heard once, whatever comes again', () => {
    const { receiver, packets, speaks, send, replay } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1, 300);
    replay();
    expect(packets).toHaveLength(300);
    expect(receiver.stats()[0]).toMatchObject({ received: 300, lost: 0 });
  });

  it('is heard on when their client begins its numbers anew, and not when it is all sent again', () => {
    const { receiver, packets, speaks, send, skip, replay } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1, 300);
    skip(1, 65_536 - 20_000);
    send(1, 300);
    expect(packets).toHaveLength(600);
    replay();
    expect(packets).toHaveLength(600);
    expect(receiver.stats()[0]).toMatchObject({ received: 600, lost: 0 });
  });

  it('has lost nothing where packets hold nothing but padding', () => {
    const { receiver, counts, packets, speaks, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1);
    send(1, 3, new Uint8Array(0));
    send(1);
    expect([packets.length, counts.opened]).toEqual([2, 2]);
    expect(receiver.stats()).toEqual([{ memberId: 'ann', received: 5, lost: 0, undecryptable: 0 }]);
  });

  it('is no longer heard over a number of another voice server', () => {
    const { receiver, packets, speaks, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    speaks('ann', 1);
    receiver.renewed();
    send(1, 50);
    expect(packets).toEqual([]);
  });

  it('is counted anew on another voice server, whose numbers go on from nothing', () => {
    const { receiver, speaks, send, skip } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1, 5);
    receiver.renewed();
    speaks('ann', 1);
    skip(1, 1_000);
    send(1, 5);
    expect(receiver.stats()).toEqual([
      { memberId: 'ann', received: 10, lost: 0, undecryptable: 0 },
    ]);
  });
});
