import { describe, expect, it } from 'vitest';
import { chunkAudio } from '../../../../src/audio/chunk/chunk-audio.ts';
import {
  createOggOpusWriter,
  type OggOpusOptions,
} from '../../../../src/audio/container/ogg-writer.ts';
import { encodePackets } from '../../../fakes/opus.ts';
import { joinStreams } from '../../../fakes/opus-streams.ts';
import { concat, decodeAll, never, sourceOf, tone } from '../support.ts';

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
