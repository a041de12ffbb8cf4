import { describe, expect, it } from 'vitest';
import type { Offer } from '../../../../service/engine-loader.ts';
import { operatorAccount } from '../../../../service/keys/account.ts';
import { startTranscriptionSession } from '../../../../service/realtime/openai/transcription-session.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { instantOffer } from '../support.ts';

interface Event {
  readonly type: string;
  readonly event_id: string;
  readonly item_id?: string;
  readonly previous_item_id?: string | null;
  readonly delta?: string;
  readonly transcript?: string;
  readonly item?: { readonly id: string };
  readonly session?: object;
  readonly error?: { readonly message: string; readonly event_id?: string | null };
  readonly usage?: { readonly seconds: number };
}

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** Hears a word in each 400 ms of sound, silence around it not counted. */
const counting = instantOffer((samples) => {
  const loud = samples.filter((sample) => Math.abs(sample) > 0.01).length;
  const count = Math.max(1, Math.round(loud / 6_400));
  return { text: Array.from({ length: count }, (_, at) => `w${at}`).join(' '), language: 'en' };
});

/** Sound at 24 kHz whose samples are all loud. */
const sound = (seconds: number): Buffer =>
  Buffer.from(
    Int16Array.from({ length: 24_000 * seconds }, (_, at) => (at % 2 ? 8_000 : 7_000)).buffer,
  );
const silence = (seconds: number): Buffer => Buffer.alloc(48_000 * seconds);

const open = (offer: Offer<'recognition'> = counting, isFormer = false) => {
  const clock = createTestClock(0);
  const events: Event[] = [];
  const closes: number[] = [];
  const session = startTranscriptionSession({
    peer: {
      send: (message) => void events.push(message as Event),
      sendAudio: async () => undefined,
      close: (code) => void closes.push(code),
    },
    account: operatorAccount('one'),
    offers: [offer],
    clock,
    log: silentLog,
    isFormer,
  });
  const send = (message: object): void => session.message(JSON.stringify(message));
  return {
    session,
    events,
    closes,
    clock,
    send,
    of: (type: string) => events.filter((event) => event.type === type),
    types: () => events.map(({ type }) => type),
    hear: async (...parts: readonly Buffer[]): Promise<void> => {
      const pcm = Buffer.concat(parts);
      for (let at = 0; at < pcm.length; at += 4_800) {
        await clock.advance(100);
        const audio = pcm.subarray(at, at + 4_800).toString('base64');
        send({ type: 'input_audio_buffer.append', audio });
        await clock.advance(0);
      }
    },
  };
};

const MANUAL = {
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { turn_detection: null } } },
};

describe('a transcription session of the OpenAI API', () => {
  it('tells of each turn as an item, whose text grows and is then whole', async () => {
    const { hear, of, types } = open();
    await hear(silence(0.5), sound(2.4), silence(1), sound(0.8), silence(1));
    const [first, second] = of('input_audio_buffer.committed');
    expect(types().filter((type) => type !== `${TRANSCRIPTION}.delta`)).toEqual([
      'session.created',
      ...[1, 2].flatMap(() => [
        'input_audio_buffer.speech_started',
        'input_audio_buffer.speech_stopped',
        'input_audio_buffer.committed',
        'conversation.item.added',
        'conversation.item.done',
        `${TRANSCRIPTION}.completed`,
      ]),
    ]);
    expect([first?.previous_item_id, second?.previous_item_id]).toEqual([null, first?.item_id]);
    const completed = of(`${TRANSCRIPTION}.completed`);
    expect(completed.map(({ item_id: id }) => id)).toEqual([first?.item_id, second?.item_id]);
    expect(completed[0]?.transcript).toBe('w0 w1 w2 w3 w4 w5');
    expect(completed[0]?.usage?.seconds).toBeGreaterThan(2.4);
    const deltas = of(`${TRANSCRIPTION}.delta`).filter((event) => event.item_id === first?.item_id);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ delta }) => delta).join('')).toBe('w0 w1 w2 w3 w4 w5');
  });

  it('gives every event an id of its own', async () => {
    const { hear, events } = open();
    await hear(sound(1), silence(1));
    expect(new Set(events.map(({ event_id: id }) => id)).size).toBe(events.length);
  });

  it('tells clients of the former form in that form', async () => {
    const { hear, send, types, of } = open(counting, true);
    send({
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'whisper-1', language: 'en', prompt: '' },
        turn_detection: { type: 'server_vad', threshold: 0.5 },
      },
    });
    await hear(sound(1), silence(1));
    expect(types().slice(0, 2)).toEqual([
      'transcription_session.created',
      'transcription_session.updated',
    ]);
    expect(of('transcription_session.updated')[0]?.session).toMatchObject({
      input_audio_format: 'pcm16',
      input_audio_transcription: { language: 'en' },
    });
    expect(of('conversation.item.created')).toHaveLength(1);
    expect(of(`${TRANSCRIPTION}.completed`)).toHaveLength(1);
  });

  it('has one item for all that the client commits, where it commits itself', async () => {
    const { hear, send, clock, of, types } = open();
    send(MANUAL);
    await hear(sound(0.8), silence(1), sound(0.8));
    expect(of('input_audio_buffer.committed')).toEqual([]);
    send({ type: 'input_audio_buffer.commit' });
    await clock.advance(0);
    const [committed] = of('input_audio_buffer.committed');
    expect(of(`${TRANSCRIPTION}.completed`)).toMatchObject([
      { item_id: committed?.item_id, transcript: 'w0 w1 w0 w1' },
    ]);
    expect(types()).not.toContain('input_audio_buffer.speech_started');
    await hear(silence(1));
    send({ type: 'input_audio_buffer.commit' });
    expect(of(`${TRANSCRIPTION}.completed`)[1]).toMatchObject({ transcript: '' });
  });

  it('forgets what is cleared', async () => {
    const { hear, send, of, types } = open();
    await hear(sound(1));
    send({ type: 'input_audio_buffer.clear' });
    await hear(silence(1));
    expect(types()).toContain('input_audio_buffer.cleared');
    expect(of(`${TRANSCRIPTION}.completed`)).toEqual([]);
    send(MANUAL);
    await hear(sound(1), silence(1));
    send({ type: 'input_audio_buffer.clear' });
    await hear(sound(0.4));
    send({ type: 'input_audio_buffer.commit' });
    await hear(silence(0.1));
    expect(of(`${TRANSCRIPTION}.completed`)).toMatchObject([{ transcript: 'w0' }]);
  });

  it('ends a turn where the client commits in the middle of it', async () => {
    const { hear, send, clock, of } = open();
    await hear(sound(1.2));
    send({ type: 'input_audio_buffer.commit' });
    await clock.advance(0);
    expect(of(`${TRANSCRIPTION}.completed`)).toHaveLength(1);
  });

  it.each([
    ['audio/pcmu', 0xff],
    ['audio/pcma', 0xd5],
  ] as const)('takes %s of telephones', async (type, quiet) => {
    const { send, clock, of } = open();
    send({
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { format: { type } } } },
    });
    expect(of('error')).toEqual([]);
    const loud = Buffer.from(Array.from({ length: 8_000 }, (_, at) => (at % 2 ? 0x90 : 0x10)));
    for (const audio of [loud, Buffer.alloc(8_000, quiet)]) {
      send({ type: 'input_audio_buffer.append', audio: audio.toString('base64') });
      await clock.advance(1_000);
    }
    expect(of(`${TRANSCRIPTION}.completed`)).toHaveLength(1);
  });

  it('passes on the language and the words to be expected', async () => {
    const seen: unknown[] = [];
    const offer = instantOffer();
    const recognise = offer.engine.recognise.bind(offer.engine);
    const engine = {
      ...offer.engine,
      recognise: async (...[samples, hints, signal]: Parameters<typeof recognise>) => {
        seen.push(hints);
        return recognise(samples, hints, signal);
      },
    };
    const { send, hear } = open({ ...offer, engine });
    const asked = { model: 'any', language: 'de', prompt: 'Frau Meier', keywords: ['Acme'] };
    send({
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { transcription: asked } } },
    });
    await hear(sound(1), silence(1));
    expect(seen.at(-1)).toMatchObject({ language: 'de', hotwords: ['Frau Meier', 'Acme'] });
  });

  it('tells of a turn that cannot be recognised by its item', async () => {
    const { hear, of } = open(
      instantOffer(() => {
        throw new AppError('bad-reply', 'nonsense');
      }),
    );
    await hear(sound(1), silence(1));
    const [committed] = of('input_audio_buffer.committed');
    expect(of(`${TRANSCRIPTION}.failed`)).toMatchObject([
      { item_id: committed?.item_id, content_index: 0, error: { code: 'ErrBackendFailed' } },
    ]);
    expect(of('error')).toEqual([]);
  });

  it.each<[string, object]>([
    ['another kind of session', { type: 'session.update', session: { type: 'realtime' } }],
    [
      'another rate',
      {
        type: 'session.update',
        session: {
          type: 'transcription',
          audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } },
        },
      },
    ],
    [
      'an unknown language',
      {
        type: 'session.update',
        session: {
          type: 'transcription',
          audio: { input: { transcription: { language: 'klingonese' } } },
        },
      },
    ],
    ['no base64', { type: 'input_audio_buffer.append', audio: '!' }],
    ['half a sample', { type: 'input_audio_buffer.append', audio: 'AAAA' }],
    ['a commit of nothing', { type: 'input_audio_buffer.commit' }],
    ['an answer', { type: 'response.create' }],
  ])('refuses %s, and goes on', async (_, message) => {
    const { send, hear, of, types } = open();
    send({ ...message, event_id: 'mine' });
    expect(of('error')).toMatchObject([
      { error: { type: 'invalid_request_error', event_id: 'mine' } },
    ]);
    expect(types()).not.toContain('session.updated');
    await hear(sound(1), silence(1));
    expect(of(`${TRANSCRIPTION}.completed`)).toHaveLength(1);
  });

  it('ends after too many faulty messages', () => {
    const { session, closes, of } = open();
    for (let count = 0; count < 25; count += 1) session.message('{');
    expect(of('error')).toHaveLength(20);
    expect(closes).toEqual([1007]);
  });
});
