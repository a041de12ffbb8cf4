import { describe, expect, it } from 'vitest';
import { open, rawVoice } from './fake-support.ts';

describe('the voice gateway', () => {
  it.each<readonly [number, string, (voice: Awaited<ReturnType<typeof rawVoice>>) => void]>([
    [4001, 'an unknown op', ({ send, known }) => (send(0, known), send(99, {}))],
    [4002, 'what is no JSON', ({ socket }) => socket.send('{')],
    [4002, 'what is no message', ({ socket }) => socket.send('[3]')],
    [4003, 'an op before IDENTIFY', ({ send }) => send(5, { speaking: 1 })],
    [4004, 'another token', ({ send, known }) => send(0, { ...known, token: 'x' })],
    [4004, 'another user', ({ send, known }) => send(0, { ...known, user_id: '1' })],
    [4005, 'a second IDENTIFY', ({ send, known }) => (send(0, known), send(0, known))],
    [4006, 'another session', ({ send, known }) => send(0, { ...known, session_id: 'x' })],
    [4006, 'a RESUME of nothing', ({ send, known }) => send(7, { ...known, seq_ack: 0 })],
    [4011, 'an unknown server', ({ send, known }) => send(0, { ...known, server_id: '1' })],
    [4012, 'another protocol', ({ send, known }) => (send(0, known), send(1, { protocol: 'tcp' }))],
    [
      4016,
      'another encryption',
      ({ send, known }) => (
        send(0, known),
        send(1, { protocol: 'udp', data: { mode: 'xsalsa20_poly1305' } })
      ),
    ],
  ])('closes with %i for %s', async (code, _, say) => {
    await using place = await open();
    const voice = await rawVoice(place);
    say(voice);
    expect(await voice.closed).toBe(code);
  });

  it('closes with 4017 whom end-to-end encryption is demanded of in vain', async () => {
    await using place = await open();
    place.discord.voice.demandDave(true);
    const voice = await rawVoice(place);
    voice.send(0, { ...voice.known, max_dave_protocol_version: 0 });
    expect(await voice.closed).toBe(4017);
  });

  it('closes with 4009 whose heart does not beat', async () => {
    await using place = await open({ voice: { heartbeatMs: 10 } });
    const voice = await rawVoice(place);
    voice.send(0, voice.known);
    expect(await voice.closed).toBe(4009);
    expect(place.discord.voice.connections[0]?.connected).toBe(false);
  });

  it('answers heartbeats, and numbers what it may have to send again', async () => {
    await using place = await open();
    const ann = place.lounge.join(place.ann);
    const voice = await rawVoice(place);
    voice.send(3, { t: 17, seq_ack: -1 });
    expect(await voice.message(6)).toEqual({ t: 17 });
    voice.send(0, voice.known);
    expect(await voice.message(11)).toEqual({ user_ids: [ann.user.id] });
    ann.leave();
    expect(await voice.message(13)).toEqual({ user_id: ann.user.id });
    expect(voice.messages.map(({ op, seq }) => [op, seq])).toEqual([
      [8, undefined],
      [6, undefined],
      [2, undefined],
      [11, 1],
      [18, 2],
      [20, 3],
      [13, 4],
    ]);
    voice.socket.terminate();
  });
});
