import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeOpus } from '../../../../src/audio/codec/decode-opus.ts';
import type { OpusItem } from '../../../../src/audio/container/ogg-reader.ts';
import { createPacketDecoder } from '../../../../src/audio/opus/decoder.ts';
import { framesOf, packetOf } from '../../../../src/audio/opus/layout.ts';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import { APPLICATION, decodePackets, encodePackets } from '../../../fakes/opus.ts';
import { joinSamples, tone } from '../support.ts';

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
      const heard = joinSamples(decoded.slice(2).map((samples) => samples!));
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
    const heard = joinSamples(slices.map(({ samples }) => samples));
    expect(heard.length).toBe(3 * count * 320);
    // What is concealed goes on as the packet before it sounded.
    const concealed = heard.subarray(count * 320, count * 320 + 160);
    expect(Math.max(...concealed)).toBeGreaterThan(0.2);
  });
});
