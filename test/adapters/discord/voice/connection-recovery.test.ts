import { EventEmitter } from 'node:events';
import {
  getVoiceConnection,
  getVoiceConnections,
  NetworkingStatusCode,
  VoiceConnectionStatus,
  type VoiceConnectionState,
} from '@discordjs/voice';
import { afterEach, describe, expect, it } from 'vitest';
import { openVoiceConnection } from '../../../../adapters/discord/voice/connection.ts';
import { AppError, userError } from '../../../../src/errors.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';
import { never } from '../support.ts';
import { sealRtp } from '../../../fakes/discord/voice/rtp.ts';
import { createTold } from './connection-support.ts';

/** Nothing that a moderator decided. */
const FREE = { isSuppressed: false, isMuted: false, isDeafened: false };
const GUILD = '158049329150427100';
const GROUP = 'one adapter';
const ROOM = { space: { platform: 'discord', id: GUILD }, id: 'lounge' };

/** A link without a network: the states of its connection are the test's to set. */
const start = () => {
  const clock: TestClock = createTestClock();
  const told = createTold();
  const asked: (string | null)[] = [];
  const over = { count: 0 };
  const said = { count: 0 };
  const shard = { isCrowded: false, refusal: undefined as AppError | undefined };
  const link = openVoiceConnection(ROOM, {
    group: GROUP,
    ownId: 'bot',
    gateway: {
      adapterFor: () => () => ({
        sendPayload: ({ d }: { d: { channel_id: string | null } }) => asked.push(d.channel_id) > 0,
        destroy: () => undefined,
      }),
      isCrowded: () => shard.isCrowded,
      connected: () => undefined,
    },
    presentIn: () => [],
    clock,
    listener: told,
    restrictionsAt: ({ isSuppressed }) => ({
      speaking: isSuppressed ? new AppError('forbidden', 'we may not speak') : undefined,
      hearing: undefined,
    }),
    refusalOf: () => shard.refusal,
    over: () => (over.count += 1),
  });
  const connection = getVoiceConnection(GUILD, GROUP)!;
  const udp = new EventEmitter();
  const networking = Object.assign(new EventEmitter(), {
    state: {
      code: NetworkingStatusCode.Ready,
      ws: new EventEmitter(),
      udp,
      connectionData: { secretKey: new Uint8Array(32) },
    },
    onWsPacket: () => undefined,
    onWsBinary: () => undefined,
    prepareAudioPacket: () => undefined,
    dispatchAudio: () => (said.count += 1) > 0,
    setSpeaking: () => undefined,
    destroy: () => undefined,
  });
  const become = (status: VoiceConnectionStatus, more: object = {}): void => {
    const { state } = connection;
    const { networking: _, ...rest } = { networking: undefined, ...state };
    const isUp = status === VoiceConnectionStatus.Ready;
    const own = isUp || status === VoiceConnectionStatus.Connecting ? { networking } : {};
    connection.state = { ...rest, ...own, ...more, status } as unknown as VoiceConnectionState;
  };
  const ready = (): void => become(VoiceConnectionStatus.Ready);
  const placed = (channelId?: string): void => link.placed({ ...FREE, channelId });
  const enter = async (): Promise<void> => {
    placed('lounge');
    ready();
    await link.joined(never());
    asked.length = 0;
  };
  return {
    clock,
    told,
    asked,
    over,
    said,
    shard,
    link,
    connection,
    networking,
    become,
    ready,
    placed,
    enter,
    udp,
  };
};

afterEach(() => {
  for (const connection of getVoiceConnections(GROUP)?.values() ?? []) connection.destroy();
});

describe('a channel that is being joined', () => {
  it('is asked for once more after eight seconds, and given up after fifteen', async () => {
    const { clock, asked, link, told, over } = start();
    const joined = link.joined(never());
    joined.catch(() => undefined);
    await clock.advance(7_999);
    expect(asked).toEqual(['lounge']);
    await clock.advance(1);
    expect(asked).toEqual(['lounge', 'lounge']);
    await clock.advance(7_000);
    await expect(joined).rejects.toMatchObject({ sentence: { key: 'room.not-joined' } });
    expect(asked).toEqual(['lounge', 'lounge', null]);
    expect([told.events, over.count, clock.waiting]).toEqual([[], 1, 0]);
  });

  it('that waits for its shard says so', async () => {
    const { clock, link, shard } = start();
    const joined = link.joined(never());
    joined.catch(() => undefined);
    shard.isCrowded = true;
    await clock.advance(15_000);
    await expect(joined).rejects.toMatchObject({
      code: 'rate-limited',
      retryable: true,
      sentence: { key: 'room.crowded' },
    });
  });

  it('is left when nobody wants it any more, before or after', async () => {
    for (const when of ['before', 'after']) {
      const { clock, asked, link, over } = start();
      const stop = new AbortController();
      if (when === 'before') stop.abort(new Error('enough'));
      const joined = link.joined(stop.signal);
      stop.abort(new Error('enough'));
      await expect(joined).rejects.toThrow('enough');
      expect([asked.at(-1), over.count, clock.waiting]).toEqual([null, 1, 0]);
    }
  });

  it('is not left for a leave of the time before', async () => {
    const { link, told, placed, ready } = start();
    placed();
    placed('lounge');
    ready();
    await link.joined(never());
    expect(told.events).toEqual(['connected']);
  });

  it('cannot be joined where it is left in the moment in which we are there', async () => {
    const { link, placed, ready, over } = start();
    const joined = link.joined(never());
    placed('lounge');
    ready();
    link.end();
    await expect(joined).rejects.toMatchObject({ sentence: { key: 'room.not-joined' } });
    expect(over.count).toBe(1);
  });

  it('cannot be joined where we are thrown out meanwhile', async () => {
    const { link, placed } = start();
    const joined = link.joined(never());
    placed('lounge');
    placed();
    await expect(joined).rejects.toMatchObject({ sentence: { key: 'room.not-joined' } });
  });
});

describe('a channel whose connection was lost', () => {
  it('is asked for, then left and asked for, in turn, and given up after three minutes', async () => {
    const { clock, told, asked, become, enter, over } = start();
    await enter();
    become(VoiceConnectionStatus.Signalling);
    expect(told.events.at(-1)).toBe('away');
    await clock.advance(32_000);
    expect(asked).toEqual(['lounge', null, 'lounge', 'lounge', null, 'lounge']);
    await clock.advance(148_000);
    expect(told.events.slice(-2)).toEqual(['away', 'ended']);
    expect(told.error).toMatchObject({ sentence: { key: 'room.lost' }, retryable: true });
    expect([asked.at(-1), over.count, clock.waiting]).toEqual([null, 1, 0]);
  });

  it('is given up with the permissions that keep us out, where there are any', async () => {
    const { clock, told, become, enter, shard } = start();
    await enter();
    shard.refusal = userError('forbidden', 'room.in-audience');
    become(VoiceConnectionStatus.Signalling);
    await clock.advance(180_000);
    expect(told.error).toMatchObject({ sentence: { key: 'room.in-audience' } });
  });

  it('has three minutes again after it was there', async () => {
    const { clock, told, become, enter, ready } = start();
    await enter();
    for (let at = 0; at < 3; at += 1) {
      become(VoiceConnectionStatus.Signalling);
      await clock.advance(170_000);
      ready();
    }
    expect(told.events).not.toContain('ended');
    expect(told.events.filter((each) => each === 'connected')).toHaveLength(4);
  });

  it('waits anew for each move, and not for each step of a handshake', async () => {
    const { clock, asked, become, enter } = start();
    await enter();
    become(VoiceConnectionStatus.Connecting);
    await clock.advance(5_000);
    become(VoiceConnectionStatus.Connecting);
    await clock.advance(3_000);
    expect(asked).toEqual(['lounge']);
    await clock.advance(3_000);
    become(VoiceConnectionStatus.Disconnected, { reason: 0, closeCode: 4014 });
    await clock.advance(7_999);
    expect(asked).toEqual(['lounge']);
    await clock.advance(1);
    expect(asked).toHaveLength(3);
  });

  it('is the one to which we were moved', async () => {
    const { clock, told, asked, become, placed, enter, link } = start();
    await enter();
    placed('attic');
    become(VoiceConnectionStatus.Signalling);
    await clock.advance(8_000);
    expect([asked, link.channel.id]).toEqual([['attic'], 'attic']);
    expect(told.events.slice(-2)).toEqual(['moved attic', 'away']);
  });

  it('is asked for when the gateway has forgotten us, and what it tells of before does not count', async () => {
    const { told, asked, enter, link, placed } = start();
    await enter();
    link.misplaced();
    expect(asked).toEqual(['lounge']);
    placed();
    expect(told.events).not.toContain('ended');
    placed('lounge');
    placed();
    expect(told.events.at(-1)).toBe('ended');
  });
});

describe('UDP that has become a black hole', () => {
  const KEEP_ALIVE = Buffer.alloc(8);

  it('is left for a new connection, three times in five minutes', async () => {
    const { clock, asked, enter, udp, ready } = start();
    await enter();
    for (let round = 0; round < 5; round += 1) {
      udp.emit('message', KEEP_ALIVE);
      await clock.advance(17_000);
      ready();
    }
    expect(asked.filter((each) => each === null)).toHaveLength(3);
  });

  it('is not taken for one while anything is answered, or where nothing ever was', async () => {
    const { clock, asked, enter, udp } = start();
    await enter();
    await clock.advance(120_000);
    for (const message of [KEEP_ALIVE, Buffer.alloc(60)])
      for (let at = 0; at < 20; at += 1) {
        udp.emit('message', message);
        await clock.advance(5_000);
      }
    expect(asked).toEqual([]);
  });
});

describe('a channel that we are in', () => {
  const send = (udp: EventEmitter, sequence: number): void => {
    const packet = {
      payloadType: 0x78,
      sequence,
      timestamp: sequence * 960,
      ssrc: 1,
      extension: undefined,
      paddingBytes: 0,
      payload: Uint8Array.of(0xf8, 1, 2, 3),
    };
    udp.emit('message', sealRtp(packet, new Uint8Array(32), sequence));
  };

  it('is not ended by what the library complains of', async () => {
    const { told, connection, enter } = start();
    await enter();
    connection.emit('error', new Error('ECONNRESET'));
    expect(told.events).toEqual(['connected']);
  });

  it('is spoken in once we are let onto its stage', async () => {
    const { clock, said, link, enter } = start();
    await enter();
    link.placed({ ...FREE, channelId: 'lounge', isSuppressed: true });
    const played = link.play(
      (async function* speech() {
        yield Buffer.alloc(4);
      })(),
      never(),
    );
    await clock.advance(1_000);
    expect(said.count).toBe(0);
    link.placed({ ...FREE, channelId: 'lounge' });
    await clock.advance(100);
    await played;
    expect(said.count).toBeGreaterThan(0);
  });

  it('takes nothing unencrypted on an encrypted voice server because it did on the last one', async () => {
    const { told, link, enter, networking, connection, udp } = start();
    await enter();
    link.subscribe(['ann']);
    const speaks = (from: { readonly state: { readonly ws: EventEmitter } }): void => {
      from.state.ws.emit('packet', { op: 5, d: { user_id: 'ann', ssrc: 1 } });
    };
    const dave = (protocolVersion: number) => ({
      protocolVersion,
      reinitializing: false,
      pendingTransitions: new Map(),
    });
    Object.assign(networking.state, { dave: dave(0) });
    speaks(networking);
    send(udp, 1);
    expect(told.packets).toHaveLength(1);
    const next = Object.assign(new EventEmitter(), {
      onWsPacket: () => undefined,
      onWsBinary: () => undefined,
      destroy: () => undefined,
      state: {
        ...networking.state,
        ws: new EventEmitter(),
        udp: new EventEmitter(),
        dave: dave(1),
      },
    });
    connection.state = { ...connection.state, networking: next } as unknown as VoiceConnectionState;
    speaks(next);
    send(next.state.udp, 2);
    expect(told.packets).toHaveLength(1);
  });
});

describe('a channel that is left', () => {
  it('is left once, and nothing is told or done afterwards', async () => {
    const { clock, told, asked, link, placed, enter, over } = start();
    await enter();
    const played = link.play(
      (async function* speech() {
        await new Promise(() => {});
        yield Buffer.alloc(4);
      })(),
      never(),
    );
    await link[Symbol.asyncDispose]();
    await expect(played).rejects.toMatchObject({ code: 'cancelled' });
    link.end();
    link.end();
    link.misplaced();
    placed('attic');
    placed();
    await clock.advance(600_000);
    expect(told.events).toEqual(['connected', 'ended']);
    expect([asked, over.count, clock.waiting]).toEqual([[null], 1, 0]);
  });

  it('is over without a word of complaint when the bot is no more in the server', async () => {
    const { told, link, enter } = start();
    await enter();
    link.end();
    expect(told.events.at(-1)).toBe('ended');
    expect(told.error).toBeUndefined();
  });

  it('is over with a complaint when the library gives it up', async () => {
    const { told, connection, enter } = start();
    await enter();
    connection.destroy();
    expect(told.error).toMatchObject({ sentence: { key: 'room.lost' } });
  });
});
