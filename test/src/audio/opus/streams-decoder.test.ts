import { describe, expect, it, afterEach, vi } from 'vitest';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import { chunkAudio } from '../../../../src/audio/chunk/chunk-audio.ts';
import {
  createOggOpusWriter,
  type OggOpusOptions,
} from '../../../../src/audio/container/ogg-writer.ts';
import { encodePackets, APPLICATION, decodePackets } from '../../../fakes/opus.ts';
import { joinStreams } from '../../../fakes/opus-streams.ts';
import { concat, decodeAll, never, sourceOf, tone } from '../support.ts';
import { decodeOpus } from '../../../../src/audio/codec/decode-opus.ts';
import type { OpusItem } from '../../../../src/audio/container/ogg-reader.ts';
import { createPacketDecoder } from '../../../../src/audio/opus/streams-decoder.ts';
import { framesOf, packetOf } from '../../../../src/audio/opus/layout.ts';
import { parseToc } from '../../../../src/audio/opus/packet.ts';

const SECONDS = 0.6;
const SILENCE = encodePackets(new Float32Array(48_000 * SECONDS));
const TONE = encodePackets(tone(48_000, SECONDS));
const WIDE_TONE = encodePackets(tone(48_000, SECONDS), { channels: 2 });
const WIDE_SILENCE = encodePackets(new Float32Array(48_000 * SECONDS), { channels: 2 });

/** 5.1 in the order of Vorbis: front in stream 0, rear in 1, centre in 2 and effects in 3. */
const SURROUND = { channels: 6, mappingFamily: 1, mapping: Uint8Array.of(4, 2, 0, 4, 1, 2, 3, 5) };

const packetsOf = (streams: readonly (readonly Uint8Array[])[]): Uint8Array[] =>
  streams[0]!.map((_, i) => joinStreams(streams.map((packets) => packets[i]!)));

const fileOf = (packets: readonly Uint8Array[], head: OggOpusOptions): Uint8Array => {
  const writer = createOggOpusWriter(head);
  return concat([...packets.map((packet) => writer.push(packet)), writer.end()]);
};

const surround = (...streams: (readonly Uint8Array[])[]): Uint8Array =>
  fileOf(packetsOf(streams), SURROUND);

/** The amplitude of the tone that is heard, as a share of that which was encoded. */
const heardShare = async (file: Uint8Array): Promise<number> => {
  const samples = (await decodeAll(sourceOf(file))).subarray(3_000);
  const rms = Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
  return (rms * Math.SQRT2) / 0.5;
};

describe('Opus of several streams', () => {
  const whole = 1 + 2 * Math.SQRT1_2 + 2 * 0.5;

  it.each([
    ['the centre', surround(WIDE_SILENCE, WIDE_SILENCE, TONE, SILENCE), 1 / whole],
    ['the front', surround(WIDE_TONE, WIDE_SILENCE, SILENCE, SILENCE), Math.SQRT2 / whole],
    ['the rear', surround(WIDE_SILENCE, WIDE_TONE, SILENCE, SILENCE), 1 / whole],
    ['low-frequency effects', surround(WIDE_SILENCE, WIDE_SILENCE, SILENCE, TONE), 0],
    ['all of them', surround(WIDE_TONE, WIDE_TONE, TONE, TONE), 1],
  ])('is mixed to mono as its channels are meant: %s', async (_where, file, share) => {
    expect(await heardShare(file)).toBeCloseTo(share, 1);
    expect((await decodeAll(sourceOf(file))).length).toBe((48_000 * SECONDS) / 3 - 104);
  });

  it.each([3, 8, 12])('in no order is the mean of its %i channels', async (channels) => {
    const mapping = Uint8Array.of(channels, 0, ...Array.from({ length: channels }, (_, i) => i));
    const streams = Array.from({ length: channels }, (_, i) => (i === 1 ? TONE : SILENCE));
    const file = fileOf(packetsOf(streams), { channels, mappingFamily: 255, mapping });
    expect(await heardShare(file)).toBeCloseTo(1 / channels, 1);
  });

  it('leaves out channels that are silent by its mapping', async () => {
    const mapping = Uint8Array.of(1, 0, 255, 0, 255);
    const file = fileOf(TONE, { channels: 3, mappingFamily: 1, mapping });
    expect(await heardShare(file)).toBeCloseTo(1 / (1 + Math.SQRT2), 1);
  });

  it('keeps its time where packets are damaged', async () => {
    const packets = packetsOf([WIDE_TONE, WIDE_TONE, TONE, TONE]);
    const damaged = packets.map((packet, i) => (i % 5 === 3 ? packet.subarray(0, 9) : packet));
    const heard = await decodeAll(sourceOf(fileOf(damaged, SURROUND)));
    expect(heard.length).toBe((await decodeAll(sourceOf(fileOf(packets, SURROUND)))).length);
    expect(Math.max(...heard)).toBeLessThan(0.6);
  });

  it.each([
    ['ambisonics', { ...SURROUND, mappingFamily: 2 }, 'unsupported'],
    ['more streams than there are sounds', { mapping: Uint8Array.of(200, 0, 1, 2) }, 'unsupported'],
    ['no stream', { mapping: Uint8Array.of(0, 0, 1, 2) }, 'bad-input'],
    ['a mapping that is cut off', { mapping: Uint8Array.of(2, 0, 1) }, 'bad-input'],
    ['channels of no stream', { mapping: Uint8Array.of(2, 0, 1, 2) }, 'bad-input'],
  ])('is refused with %s', async (_what, head, code) => {
    const file = fileOf(TONE, { channels: 2, mappingFamily: 255, ...head });
    await expect(decodeAll(sourceOf(file))).rejects.toMatchObject({ code });
  });

  it('goes to the recogniser as mono', async () => {
    const file = surround(WIDE_TONE, WIDE_TONE, TONE, TONE);
    const [chunk, ...others] = await Array.fromAsync(chunkAudio(sourceOf(file), {}, never));
    expect(others).toEqual([]);
    const [head] = await Array.fromAsync(chunk!.audio.open(never));
    expect(Buffer.from(head!.subarray(0, 4)).toString()).toBe('fLaC');
    expect(chunk!.durationMs).toBeCloseTo(SECONDS * 1_000, -2);
  });

  it('behind a stream of one is refused before it is passed on as that', async () => {
    const file = concat([fileOf(TONE, {}), surround(WIDE_TONE, WIDE_TONE, TONE, TONE)]);
    const cut = chunkAudio(sourceOf(file), {}, never);
    await expect(Array.fromAsync(cut)).rejects.toMatchObject({ code: 'unsupported' });
  });
});

const RATE_HZ = 16_000;

const decodeAllOf = async (packets: readonly Uint8Array[]) => {
  const decoder = await createPacketDecoder(RATE_HZ);
  const decoded = packets.map((packet) => decoder.decode(packet));
  decoder.free();
  return decoded;
};

describe('the decoder of packets', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('takes the largest packets that there are', async () => {
    const noise = tone(48_000, 0.24).map((sample, at) => sample + Math.sin(at * at) / 2);
    const packets = encodePackets(noise, { bitrate: 510_000, application: APPLICATION.lowDelay });
    const frames = packets.flatMap((packet) => framesOf(packet) ?? []);
    const large = packetOf(packets[0]![0]!, frames.slice(0, 6));
    expect(large.length).toBeGreaterThan(3_840);
    expect(parseToc(large)?.samples).toBe(5_760);
    const [samples] = await decodeAllOf([large]);
    expect(samples).toEqual(await decodePackets(packets.slice(0, 6), RATE_HZ));
  });

  it('mixes stereo to mono, between packets of mono as well', async () => {
    const sound = tone(48_000, 0.2);
    const [mono, stereo] = [1, 2].map((channels) =>
      encodePackets(sound, { channels: channels as 1 | 2 }),
    );
    for (const packets of [mono!, stereo!, [...mono!, ...stereo!]]) {
      const decoded = await decodeAllOf(packets);
      expect(decoded.map((samples) => samples?.length)).toEqual(packets.map(() => 320));
      const heard = concatSamples(decoded.slice(2).map((samples) => samples!));
      const rms = Math.sqrt(heard.reduce((sum, x) => sum + x * x, 0) / heard.length);
      expect(rms).toBeCloseTo(0.5 / Math.SQRT2, 1);
    }
  });

  it('refuses what is no packet without a word on standard error', async () => {
    const said = vi.spyOn(console, 'error');
    expect(await decodeAllOf([new Uint8Array(0), Uint8Array.of(0xf9, 1, 2, 3)])).toEqual([
      undefined,
      undefined,
    ]);
    expect(said).not.toHaveBeenCalled();
  });
});

describe('a stream with damaged packets', () => {
  it.each([
    ['one frame', 1],
    ['two frames', 2],
    ['six frames', 6],
  ])('keeps its time where a packet of %s is concealed', async (_, count) => {
    const packets = encodePackets(tone(48_000, 0.6), { application: APPLICATION.lowDelay });
    const toc = packets[0]![0]!;
    const frames = packets.slice(0, 12).map((packet) => framesOf(packet)![0]!);
    const good = packetOf(toc, frames.slice(0, count));
    // More padding than there are bytes.
    const damaged = Uint8Array.of((toc & 0xfc) | 3, 0x40 | count, 200);
    const head = { channels: 1, preSkipSamples: 0, inputRateHz: 48_000, gain: 0 };
    const items = async function* (): AsyncGenerator<OpusItem> {
      yield { kind: 'head', head: { ...head, mappingFamily: 0, mapping: new Uint8Array(0) } };
      for (const data of [good, damaged, good]) {
        const { samples } = parseToc(data)!;
        yield { kind: 'packet', data, samples, keepSamples: samples };
      }
    };
    const slices = await Array.fromAsync(decodeOpus(items(), RATE_HZ));
    const heard = concatSamples(slices.map(({ samples }) => samples));
    expect(heard.length).toBe(3 * count * 320);
    // What is concealed goes on as the packet before it sounded.
    const concealed = heard.subarray(count * 320, count * 320 + 160);
    expect(Math.max(...concealed)).toBeGreaterThan(0.2);
  });
});
