import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OPUS, SILENCE, startReceiver } from './receiver-support.ts';

describe('packets of somebody who is not to be heard', () => {
  it('are not opened: not before they agreed, not after they said no, not of the unknown', () => {
    const { receiver, counts, packets, speaks, send } = startReceiver('ann', 'bob', 'cid');
    speaks('ann', 1);
    speaks('bob', 2);
    send(1, 10);
    receiver.subscribe(['ann']);
    send(2, 300);
    send(3, 300);
    send(4, 300);
    expect([counts.keys, counts.opened, packets]).toEqual([0, 0, []]);
    send(1, 10);
    expect([counts.keys, counts.opened, packets.length]).toEqual([10, 10, 10]);
    receiver.subscribe(['bob']);
    send(1, 10);
    expect([counts.keys, counts.opened, packets.length]).toEqual([10, 10, 10]);
  });

  it('are not taken for those of somebody who agreed and is silent: either gateway may be behind', () => {
    for (const behind of ['main', 'voice']) {
      const { receiver, counts, room, send } = startReceiver('ann');
      receiver.subscribe(['ann']);
      // Bob has come.
      if (behind === 'voice') room.present = ['ann', 'bob'];
      else receiver.packet({ op: 11, d: { user_ids: ['ann', 'bob'] } });
      send(2, 500);
      expect(counts.keys).toBe(0);
    }
  });

  it('are not taken for those of somebody else when they come all at once, before the news', () => {
    const { receiver, counts, time, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    for (let at = 0; at < 20; at += 1) {
      send(2);
      time.ms -= 20;
    }
    receiver.packet({ op: 11, d: { user_ids: ['bob'] } });
    send(2, 500);
    expect(counts.keys).toBe(0);
  });

  it('are taken for nobody else’s after their number changed, where no encryption tells whose they are', () => {
    const { receiver, counts, packets, room, speaks, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann']);
    speaks('bob', 2);
    room.proves = false;
    send(3, 500);
    expect([counts.keys, packets]).toEqual([0, []]);
    receiver.subscribe(['ann', 'bob']);
    send(3, 5);
    expect(packets).toHaveLength(5);
  });

  it('are taken for nobody else’s where more are said to be there than can be remembered', () => {
    const { receiver, counts, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    const crowd = Array.from({ length: 100_000 }, (_, at) => `${at}`);
    receiver.packet({ op: 11, d: { user_ids: crowd } });
    for (const id of crowd) receiver.packet({ op: 13, d: { user_id: id } });
    receiver.packet({ op: 11, d: { user_ids: crowd.slice(0, 2_000) } });
    for (const id of crowd.slice(0, 1_000)) receiver.packet({ op: 13, d: { user_id: id } });
    send(9, 500);
    expect(counts.keys).toBe(0);
  });

  it('cost nobody a new connection', () => {
    const { receiver, counts, told, speaks, send } = startReceiver('ann', 'bob', 'cid');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    for (let at = 0; at < 300; at += 1) {
      send(1);
      send(2);
    }
    expect([counts.unknown, told]).toEqual([0, []]);
  });
});

describe('somebody who is to be heard', () => {
  it('is heard over the number that was told, with the camera on or off', () => {
    const { receiver, packets, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann']);
    receiver.packet({ op: 12, d: { user_id: 'ann', audio_ssrc: 7, video_ssrc: 8 } });
    send(7, 3);
    receiver.packet({ op: 12, d: { user_id: 'ann', audio_ssrc: 0, video_ssrc: 0 } });
    send(7, 3);
    expect(packets).toHaveLength(6);
    expect(packets.every(({ speakerId }) => speakerId === 'ann')).toBe(true);
  });

  it('is heard without a number when nobody else can be meant, ourselves least of all', () => {
    const { receiver, packets, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    receiver.packet({ op: 11, d: { user_ids: ['bot', 'ann'] } });
    send(9, 50);
    expect(packets.length).toBeGreaterThan(20);
  });

  it('is not held back from being known by those who have gone', () => {
    for (const way of ['left', 'left the channel', 'another server']) {
      const { receiver, packets, send } = startReceiver('ann');
      receiver.subscribe(['ann']);
      receiver.packet({ op: 11, d: { user_ids: ['ann', 'bob'] } });
      send(9, 5);
      if (way === 'left') receiver.packet({ op: 13, d: { user_id: 'bob' } });
      else if (way === 'left the channel') receiver.left('bob');
      else receiver.renewed();
      send(9, 100);
      expect(packets.length).toBeGreaterThan(20);
    }
  });

  it('is told of when their packets cannot be opened for a second, and again when they can', () => {
    const { receiver, room, told, packets, speaks, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    room.understood = false;
    send(1, 49);
    expect(told).toEqual([]);
    send(1, 30);
    expect(told).toEqual(['cannot hear ann']);
    room.understood = true;
    send(1, 5, SILENCE);
    expect(told).toEqual(['cannot hear ann']);
    send(1, 2);
    expect(told).toEqual(['cannot hear ann', 'hears ann']);
    expect(packets).toHaveLength(7);
    expect(receiver.stats()).toEqual([
      { memberId: 'ann', received: 86, lost: 0, undecryptable: 79 },
    ]);
  });

  it('is told of anew when they agree once more', () => {
    const { receiver, room, told, speaks, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    room.understood = false;
    send(1, 50);
    receiver.subscribe([]);
    receiver.subscribe(['ann']);
    send(1, 49);
    expect(told).toEqual(['cannot hear ann']);
    send(1);
    expect(told).toEqual(['cannot hear ann', 'cannot hear ann']);
  });

  it('passes over what is no packet of Opus, and what was not sent with our key', () => {
    const { receiver, packets, speaks, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    speaks('ann', 1);
    send(1, 1, Uint8Array.of(0xfb, 0));
    send(1, 5, OPUS, randomBytes(32));
    expect(packets).toEqual([]);
    expect(receiver.stats()).toEqual([{ memberId: 'ann', received: 1, lost: 0, undecryptable: 1 }]);
  });
});

describe('somebody unknown who speaks for two seconds', () => {
  it('is tried to be known by a new connection, and told of by no name where two can be meant', () => {
    const { receiver, counts, told, send, speaks } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    send(9, 100);
    expect([counts.unknown, told]).toEqual([0, []]);
    send(9, 2);
    expect(counts.unknown).toBeGreaterThan(0);
    expect(told).toEqual(['cannot hear somebody']);
    // A new connection alone is no end of it.
    receiver.renewed();
    send(9, 150);
    expect(told).toHaveLength(1);
    speaks('bob', 9);
    send(9, 110);
    expect(told.slice(1)).toEqual(['hears somebody']);
  });

  it('is told of by the name of the only one who can be meant, until it turns out to be another', () => {
    const { receiver, room, told, send, speaks } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob', 'cid']);
    speaks('ann', 1);
    speaks('bob', 2);
    for (let at = 0; at < 150; at += 1) {
      send(1);
      send(9);
    }
    expect(told).toEqual(['cannot hear bob']);
    room.present.push('cid');
    speaks('cid', 9);
    send(9, 110);
    expect(told.slice(1)).toEqual(['hears bob']);
  });

  it('is not told of as one of those who are silent, however many of them there are', () => {
    const { receiver, told, send } = startReceiver('ann', 'bob', 'cid');
    receiver.subscribe(['ann', 'bob', 'cid']);
    send(9, 500);
    expect(told).toEqual(['cannot hear somebody']);
  });

  it('is told of no longer when they fell silent and somebody else speaks', () => {
    const { receiver, time, told, send, speaks } = startReceiver('ann', 'bob', 'cid');
    receiver.subscribe(['ann', 'bob', 'cid']);
    speaks('cid', 3);
    send(9, 150);
    time.ms += 3_000;
    send(3);
    expect(told).toEqual(['cannot hear somebody', 'hears somebody']);
  });

  it('is not told of as somebody else, where it may be one who is not to be heard', () => {
    const { receiver, counts, told, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann']);
    send(9, 150);
    expect(counts.unknown).toBeGreaterThan(0);
    expect(told).toEqual([]);
  });

  it('is one whose number changed without a word, when everybody has one', () => {
    const { receiver, counts, told, send, speaks } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    speaks('ann', 1);
    speaks('bob', 2);
    for (let at = 0; at < 150; at += 1) {
      send(1);
      send(9);
    }
    expect(counts.unknown).toBeGreaterThan(0);
    expect(told).toEqual(['cannot hear bob']);
  });
});

describe('somebody whose keys tell who they are', () => {
  it('is heard again within a second when their number changed without a word', () => {
    const { receiver, counts, told, packets, room, send, speaks } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    speaks('ann', 1);
    speaks('bob', 2);
    room.sender = 'bob';
    for (let at = 0; at < 150; at += 1) {
      send(1);
      send(9);
    }
    const ofBob = packets.filter(({ speakerId }) => speakerId === 'bob');
    expect(ofBob.length).toBeGreaterThan(130);
    expect([counts.unknown, told]).toEqual([0, []]);
  });

  it('is heard after half a second where several may be meant', () => {
    const { receiver, counts, packets, room, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    room.sender = 'ann';
    send(9, 50);
    expect(packets.every(({ speakerId }) => speakerId === 'ann')).toBe(true);
    expect(packets.length).toBeGreaterThan(20);
    expect(counts.unknown).toBe(0);
  });

  it('is not looked for where it may be somebody who is not to be heard', () => {
    const { receiver, counts, room, send } = startReceiver('ann', 'bob', 'cid');
    receiver.subscribe(['ann', 'bob']);
    room.sender = 'ann';
    send(9, 300);
    expect(counts.keys).toBe(0);
  });

  it('is not looked for without encryption', () => {
    const { receiver, packets, room, send } = startReceiver('ann', 'bob');
    receiver.subscribe(['ann', 'bob']);
    Object.assign(room, { sender: 'ann', proves: false });
    send(9, 300);
    expect(packets).toEqual([]);
  });
});

describe('a voice server that says what cannot be', () => {
  it('has no ids taken that are none', () => {
    const { receiver, packets, send } = startReceiver('ann');
    receiver.subscribe(['ann']);
    const long = '7'.repeat(1_000);
    receiver.packet({ op: 11, d: { user_ids: [long, 5, null, {}, ''] } });
    receiver.packet({ op: 11, d: { user_ids: 'ann' } });
    for (const ssrc of [9, -1, 0.5, '9', null])
      receiver.packet({ op: 5, d: { user_id: long, ssrc } });
    receiver.packet({ op: 5, d: { user_id: 'ann', ssrc: -1 } });
    for (const op of [5, 11, 12, 13]) receiver.packet({ op, d: null });
    send(9, 50);
    expect(packets.length).toBeGreaterThan(20);
  });
});

describe('many who come and go', () => {
  it('are counted up to 200, those of whom nothing came for longest forgotten first', () => {
    const { receiver, send, speaks } = startReceiver();
    const ids = Array.from({ length: 250 }, (_, at) => `member ${at}`);
    receiver.subscribe(ids);
    for (const [at, id] of ids.entries()) {
      speaks(id, at + 1);
      send(at + 1);
      // The first one speaks all the while.
      send(1);
    }
    const stats = receiver.stats();
    expect(stats).toHaveLength(200);
    expect(stats.find(({ memberId }) => memberId === 'member 0')?.received).toBe(251);
  });

  it('leave nothing of theirs for those who come after them', () => {
    const { receiver, packets, send, speaks } = startReceiver('bob');
    receiver.subscribe(['ann', 'bob']);
    speaks('ann', 1);
    send(1);
    receiver.packet({ op: 13, d: { user_id: 'ann' } });
    receiver.left('ann');
    send(1, 40);
    expect(packets).toHaveLength(1);
  });
});
