import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { decode } from '../../../../src/audio/codec/decode.ts';
import { decodeAac } from '../../../../src/audio/codec/decode-aac.ts';
import { readPages, writePage } from '../../../../src/audio/container/ogg-page.ts';
import { createOggOpusWriter } from '../../../../src/audio/container/ogg-writer.ts';
import { AppError } from '../../../../src/errors.ts';
import { watchEventLoop } from '../../../fakes/event-loop.ts';
import { concat, fixture, never, sourceOf } from '../support.ts';
import { collectGarbage } from '../../../fakes/garbage.ts';

const bytesOf = (...parts: (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part),
      ),
    ),
  );

const repeated = (unit: Uint8Array, bytes: number): Uint8Array => {
  const whole = new Uint8Array(bytes - (bytes % unit.length));
  for (let at = 0; at < whole.length; at += unit.length) whole.set(unit, at);
  return whole;
};

const MEBIBYTE = 1024 * 1024;

const opusStream = (): Uint8Array => {
  const writer = createOggOpusWriter();
  return concat([writer.push(Uint8Array.of(0xf8, 0xff, 0xfe)), writer.end()]);
};

/** Sixteen decoders have to be made for each of these streams, none of which holds a packet. */
const SURROUND_HEAD = createOggOpusWriter({
  channels: 16,
  mappingFamily: 255,
  mapping: Uint8Array.of(16, 0, ...Array.from({ length: 16 }, (_, channel) => channel)),
}).end();

const EMPTY_PAGE = writePage({
  flags: 0,
  granule: -1,
  serial: 7,
  sequence: 0,
  segments: new Uint8Array(0),
  body: new Uint8Array(0),
});

const EMPTY_CHUNKS = concat([
  bytesOf('RIFF....WAVE'),
  repeated(bytesOf('junk', [0, 0, 0, 0]), MEBIBYTE),
]);

/** Each is a megabyte of the smallest parts that its format has. */
const CRAFTED: readonly (readonly [string, Uint8Array])[] = [
  ['WAV of empty chunks', EMPTY_CHUNKS],
  ['Ogg of empty pages', concat([opusStream(), repeated(EMPTY_PAGE, MEBIBYTE)])],
  [
    'ID3 tags',
    concat([
      bytesOf('ID3', [3, 0, 0, 0, 0, 0x46, 0x28], '.'.repeat(9_000)),
      repeated(bytesOf('ID3', [3, 0, 0, 0, 0, 0, 0]), MEBIBYTE),
    ]),
  ],
  [
    'WebM of empty elements',
    concat([bytesOf([0x1a, 0x45, 0xdf, 0xa3, 0x80]), repeated(bytesOf([0xec, 0x80]), MEBIBYTE)]),
  ],
  [
    'MP4 of empty boxes',
    concat([bytesOf([0, 0, 0, 8], 'ftyp'), repeated(bytesOf([0, 0, 0, 8], 'free'), MEBIBYTE)]),
  ],
  ['FLAC of empty blocks', concat([bytesOf('fLaC'), repeated(bytesOf([1, 0, 0, 0]), MEBIBYTE)])],
];

/** Each says at its start that gigabytes follow, or as much as its format can say. */
const CLAIMS: readonly (readonly [string, Uint8Array])[] = [
  ['a WAV chunk', bytesOf('RIFF....WAVEjunk', [0xff, 0xff, 0xff, 0xfe])],
  ['a WAV format', bytesOf('RIFF....WAVEfmt ', [0xff, 0xff, 0xff, 0xfe], '.'.repeat(16))],
  ['an AIFF chunk', bytesOf('FORM....AIFFNAME', [0xff, 0xff, 0xff, 0xfe])],
  ['an AIFF format', bytesOf('FORM....AIFFCOMM', [0xff, 0xff, 0xff, 0xfe])],
  ['an ID3 tag', bytesOf('ID3', [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f])],
  ['a FLAC block', bytesOf('fLaC', [0x81, 0xff, 0xff, 0xff])],
  ['a WebM element', bytesOf([0x1a, 0x45, 0xdf, 0xa3, 0x80, 0xec, 1, 0x7f], '\xff'.repeat(6))],
  ['an MP4 box', bytesOf([0, 0, 0, 8], 'ftyp', [0, 0, 0, 1], 'free', [0x7f], '\xff'.repeat(7))],
];

const endOf = async (bytes: Uint8Array, signal = never): Promise<unknown> => {
  const source = sourceOf(bytes, 65_536);
  return Array.fromAsync(decode(source, signal)).catch((error: unknown) => error);
};

describe('a crafted file', () => {
  it.each(CRAFTED)('lets others run while it is read: %s', async (_name, bytes) => {
    const { turns, worstBlockMs } = await watchEventLoop(() => endOf(bytes));
    expect(turns, `worst block ${worstBlockMs} ms`).toBeGreaterThan(100);
  });

  it.each([
    ['Opus streams without sound', SURROUND_HEAD],
    ['Vorbis streams without sound', fixture('vorbis-8k.ogg').subarray(0, 3_000)],
  ])('lets others run while decoders are made: %s', async (_name, file) => {
    const chained = concat(Array.from({ length: 60 }, () => file));
    const { turns, worstBlockMs } = await watchEventLoop(() => endOf(chained));
    expect(turns, `worst block ${worstBlockMs} ms`).toBeGreaterThan(60);
  });

  it('can be broken off even when nothing has to be waited for', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    expect(await endOf(EMPTY_CHUNKS, controller.signal)).toMatchObject({ code: 'cancelled' });
  });

  it('of many reads at once in memory still lets others run', async () => {
    const reader = createByteReader(sourceOf(new Uint8Array(300_000), 300_000).open());
    const { turns } = await watchEventLoop(async () => {
      for (let read = 0; read < 100_000; read += 1) await reader.skip(1);
    });
    expect(turns).toBeGreaterThan(50);
  });

  const bytesOfBuffers = (): number => {
    // Buffers are freed on another thread, which the next collection waits for.
    for (let times = 0; times < 2; times += 1) collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  /** Bytes of buffers before a claim: the fewest so far, for none may leave any behind. */
  let bytesBefore: number | undefined;

  it.each(CLAIMS)('is not held in memory for what it claims: %s', async (_name, head) => {
    const zeros = new Uint8Array(65_536);
    bytesBefore ??= bytesOfBuffers();
    const before = bytesBefore;
    let heldBytes = 0;
    const source = {
      sizeBytes: undefined,
      async *open() {
        yield head;
        for (let sent = 0; sent < 16 * MEBIBYTE; sent += zeros.length) {
          yield zeros;
          if (sent < 15 * MEBIBYTE || heldBytes > 0) continue;
          heldBytes = bytesOfBuffers() - before;
        }
      },
    };
    await expect(Array.fromAsync(decode(source, never))).rejects.toBeInstanceOf(AppError);
    expect(heldBytes).toBeLessThan(8 * MEBIBYTE);
    bytesBefore = Math.min(before, before + heldBytes);
  });

  it('of Vorbis whose rate is one sample a second is refused', async () => {
    const reader = createByteReader(sourceOf(fixture('vorbis-8k.ogg')).open());
    const [first, ...pages] = await Array.fromAsync(readPages(reader));
    const body = Buffer.from(first!.body);
    body.writeUInt32LE(1, 12);
    const slow = concat([{ ...first!, body }, ...pages].map((page) => writePage(page)));
    expect(await endOf(slow)).toMatchObject({ code: 'too-large' });
  });

  it('of AAC units that cannot be decoded is given up', async () => {
    let given = 0;
    const frames = async function* frames() {
      for (; given < 3_000; given += 1)
        yield { config: Uint8Array.of(0x12, 0x10), unit: Uint8Array.of(0xff) };
    };
    await expect(Array.fromAsync(decodeAac(frames()))).rejects.toBeInstanceOf(AppError);
    expect(given).toBeLessThan(1_000);
  });
});
