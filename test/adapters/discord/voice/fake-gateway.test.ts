import { createSocket } from 'node:dgram';
import { once } from 'node:events';
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
    [
      4002,
      'a heartbeat that does not say what was heard',
      ({ send, known }) => (send(0, known), send(3, { t: 17 })),
    ],
    [
      4002,
      'a heartbeat that has heard what was never said',
      ({ send, known }) => (send(0, known), send(3, { t: 17, seq_ack: 99 })),
    ],
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

  it('does not say again what was heard', async () => {
    await using place = await open();
    place.lounge.join(place.ann);
    const first = await rawVoice(place);
    first.send(0, first.known);
    await first.message(20);
    first.send(3, { t: 17, seq_ack: 2 });
    await first.message(6);
    first.socket.terminate();
    const second = await first.connectAgain();
    second.send(7, { ...first.known, seq_ack: 2 });
    await second.message(20);
    expect(second.messages.map(({ op }) => op)).toEqual([8, 9, 20]);
    second.socket.terminate();
    const third = await first.connectAgain();
    third.send(7, { ...first.known, seq_ack: 1 });
    expect(await third.closed).toBe(4006);
  });

  it('tells nobody but those with a number of theirs under which address they are seen', async () => {
    await using place = await open();
    const voice = await rawVoice(place);
    voice.send(0, voice.known);
    const { ssrc, port } = await voice.message(2);
    const udp = createSocket('udp4');
    const ask = (number: number, length = 70): void => {
      const question = Buffer.alloc(74);
      question.writeUInt16BE(1, 0);
      question.writeUInt16BE(length, 2);
      question.writeUInt32BE(number, 4);
      udp.send(question, Number(port), '127.0.0.1');
    };
    const answers: Buffer[] = [];
    udp.on('message', (answer: Buffer) => answers.push(answer));
    ask(0);
    ask(Number(ssrc), 74);
    ask(Number(ssrc));
    await once(udp, 'message');
    expect(answers.map((answer) => answer.readUInt32BE(4))).toEqual([Number(ssrc)]);
    expect(answers[0]!.subarray(8, 17).toString()).toBe('127.0.0.1');
    expect(answers[0]!.readUInt16BE(72)).toBe(udp.address().port);
    udp.close();
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
