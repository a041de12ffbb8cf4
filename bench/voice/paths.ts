import { NO_SPACE } from '../../src/model/lane.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import { createDaveReader } from '../../adapters/discord/voice/dave.ts';
import { createReceiver } from '../../adapters/discord/voice/receiver.ts';
import { wavHeader } from '../../src/audio/codec/encode-raw.ts';
import { createRecognitionApi } from '../../src/api/recognition.ts';
import type { Attempt, Caller } from '../../src/api/caller.ts';
import { createServiceKey } from '../../src/api/keys.ts';
import type { Clock } from '../../src/async/clock.ts';
import { createBatchRecogniser } from '../../src/voice/stt/batch-recogniser.ts';
import { createSttPipeline } from '../../src/voice/stt/pipeline.ts';
import type { VoicePacket } from '../../src/ports/voice.ts';
import type { Traffic } from './traffic.ts';

/** A way from datagrams to bodies that are ready to be sent to the recogniser. */
export interface Path {
  datagram(message: Buffer): void;
  /** Everybody is silent: resolves when all bodies are ready, with what they weigh. */
  end(): Promise<{ readonly bodies: number; readonly bytes: number }>;
}

/** Time as the packets tell it, many times faster than it is. */
export const createPacketClock = (): Clock & { advance(toMs: number): void } => {
  let now = 0;
  const due = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    nowMs: () => now,
    after: (delayMs, run) => {
      const task = { atMs: now + delayMs, run };
      due.add(task);
      return () => due.delete(task);
    },
    advance: (toMs) => {
      if (toMs <= now) return;
      now = toMs;
      for (const task of due)
        if (task.atMs <= now) {
          due.delete(task);
          task.run();
        }
    },
  };
};

const SAMPLES_PER_MS = 48;
const TIMESTAMP_AT = 4;
/** Longer than anything waits. */
const LONG_MS = 60_000;

const exhausted = (): void => {
  throw new Error('the encryption failed');
};

/** Both ways open packets alike. */
const receive = (traffic: Traffic, received: (packet: VoicePacket) => void) => {
  const clock = createPacketClock();
  const receiver = createReceiver({
    key: () => traffic.key,
    ownId: '',
    dave: createDaveReader({ dave: () => traffic.dave, nowMs: clock.nowMs, exhausted }),
    presentIds: () => traffic.speakers.map(({ id }) => id),
    nowMs: clock.nowMs,
    received,
    audible: () => {},
    missed: () => {},
    unknownSpeaker: () => {},
  });
  for (const { id, ssrc } of traffic.speakers)
    receiver.packet({ op: 5, d: { user_id: id, ssrc, speaking: 1 } });
  receiver.subscribe(traffic.speakers.map(({ id }) => id));
  const datagram = (message: Buffer): void => {
    clock.advance(message.readUInt32BE(TIMESTAMP_AT) / SAMPLES_PER_MS);
    receiver.datagram(message);
  };
  return { clock, datagram };
};

/** Packets are opened, and thrown away. */
export const receiveAlone = (traffic: Traffic): Path => ({
  datagram: receive(traffic, () => {}).datagram,
  end: async () => ({ bodies: 0, bytes: 0 }),
});

const notAskedFor = (): never => {
  throw new Error('not asked for');
};

export const ours = (traffic: Traffic, partialEveryMs: number): Path => {
  let bodies = 0;
  let bytes = 0;
  const send: Attempt['send'] = async ({ body }) => {
    const parts = body?.() as AsyncIterable<string>;
    for await (const part of parts) bytes += part.length;
    bodies += 1;
    const reply = Readable.from([Buffer.from('{"text":"","language":"en","confidence":0}')]);
    return {
      headers: { 'content-type': 'application/json' },
      body: reply as never,
      sent: createServiceKey('svck:bench'),
    };
  };
  const caller: Caller = {
    once: async ({ options: { signal } }, run) => run({ signal, send, used: () => {} }),
    opened: notAskedFor,
    states: notAskedFor,
  };
  const { clock, datagram } = receive(traffic, (packet) => pipeline.packet(packet));
  const pipeline = createSttPipeline({
    recogniser: createBatchRecogniser(createRecognitionApi(caller), {
      space: NO_SPACE,
      partialEveryMs,
    }),
    clock,
    listener: {
      speechBegan: () => {},
      transcript: () => {},
      withheld: () => {},
      lost: () => {},
      trouble: () => {},
    },
    hints: async () => ({ hotwords: [], languages: [] }),
  });
  return {
    datagram,
    end: async () => {
      clock.advance(clock.nowMs() + LONG_MS);
      await pipeline.settled();
      await pipeline[Symbol.asyncDispose]();
      return { bodies, bytes };
    },
  };
};

const RECIPE_ENDS_MS = 600;
const RECIPE_LONGEST_MS = 15_000;
const WAV_RATE_HZ = 16_000;

/** As prism-media's, which is a stream as well. */
const decoding = (decoder: OpusDecoderHandle): Transform =>
  new Transform({
    writableObjectMode: true,
    transform: (packet: Uint8Array, _, done) => {
      const { buffer: bytes, byteOffset, byteLength } = decoder.decode(packet);
      done(null, Buffer.from(bytes.slice(byteOffset, byteOffset + byteLength)));
    },
  });

/** The program, which not every machine has. */
export const FFMPEG = 'ffmpeg';
const TO_WAV =
  '-hide_banner -loglevel error -f s16le -ar 48000 -ac 2 -i pipe:0 -ar 16000 -ac 1 -f wav pipe:1';

const wavOf = async (stream: Readable): Promise<Buffer> => {
  const pcm = await buffer(stream);
  return Buffer.concat([wavHeader(WAV_RATE_HZ, pcm.length), pcm]);
};

const convert = async (pcm: Readable): Promise<Buffer> => {
  const child = spawn(FFMPEG, TO_WAV.split(' '), { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  pcm.pipe(child.stdin);
  const wav = await buffer(child.stdout);
  await closed;
  return wav;
};

/**
 * What voice bots do: everything decoded to 48 kHz stereo, and each utterance made a WAV of 16 kHz mono
 * by a process of ffmpeg and sent as one JSON string. When people speak it is told, for nothing.
 * Without ffmpeg the decoder makes 16 kHz mono itself, which is cheaper.
 */
export const recipe = async (traffic: Traffic, hasFfmpeg: boolean): Promise<Path> => {
  const decoders = new Map<string, OpusDecoderHandle>();
  for (const { id } of traffic.speakers)
    decoders.set(
      id,
      await createDecoder(
        hasFfmpeg ? { sampleRate: 48_000, channels: 2 } : { sampleRate: WAV_RATE_HZ, channels: 1 },
      ),
    );
  const open = new Map<string, { readonly stream: PassThrough; beganMs: number; lastMs: number }>();
  const bodies: Promise<number>[] = [];

  const begin = ({ speakerId, arrivedMs }: VoicePacket) => {
    const stream = new PassThrough({ objectMode: true });
    const pcm = stream.pipe(decoding(decoders.get(speakerId)!));
    const makeBody = async (): Promise<number> => {
      const wav = hasFfmpeg ? await convert(pcm) : await wavOf(pcm);
      return JSON.stringify({ audio: wav.toString('base64') }).length;
    };
    bodies.push(makeBody());
    const utterance = { stream, beganMs: arrivedMs, lastMs: arrivedMs };
    open.set(speakerId, utterance);
    return utterance;
  };
  const { datagram } = receive(traffic, (packet) => {
    const { speakerId, arrivedMs, data, timestampSamples } = packet;
    const isVoice = traffic.isVoice(speakerId, timestampSamples);
    let utterance = open.get(speakerId);
    const isOver =
      utterance !== undefined &&
      (arrivedMs - utterance.lastMs >= RECIPE_ENDS_MS ||
        arrivedMs - utterance.beganMs >= RECIPE_LONGEST_MS);
    if (isOver) {
      utterance?.stream.end();
      open.delete(speakerId);
      utterance = undefined;
    }
    if (isVoice) {
      utterance ??= begin(packet);
      utterance.lastMs = arrivedMs;
    }
    if (utterance) utterance.stream.write(data);
    else decoders.get(speakerId)?.decode(data);
  });
  return {
    datagram,
    end: async () => {
      for (const { stream } of open.values()) stream.end();
      const weights = await Promise.all(bodies);
      for (const decoder of decoders.values()) decoder.free();
      return { bodies: weights.length, bytes: weights.reduce((sum, bytes) => sum + bytes, 0) };
    },
  };
};
