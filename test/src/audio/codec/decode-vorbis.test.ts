import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { decodeVorbis } from '../../../../src/audio/codec/decode-vorbis.ts';
import { FLAG_BEGIN, readPages, writePage } from '../../../../src/audio/container/ogg-page.ts';
import { AppError } from '../../../../src/errors.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { watchEventLoop } from '../../../fakes/event-loop.ts';
import { concat, fixture, sourceOf } from '../support.ts';

const FIXTURES = ['vorbis-8k.ogg', 'vorbis-22k.ogg', 'speech-vorbis.ogg'] as const;

const readerOf = (bytes: Uint8Array) => createByteReader(sourceOf(bytes).open());

/** All samples, whatever their rate, and the rates in their order. */
const hear = async (bytes: Uint8Array) => {
  const slices = await Array.fromAsync(decodeVorbis(readerOf(bytes))).catch((error: unknown) => {
    expect(error).toBeInstanceOf(AppError);
    return [];
  });
  const rates = slices.map(({ sampleRateHz }) => sampleRateHz);
  return {
    samples: concatSamples(slices.map(({ samples }) => samples)),
    rates: rates.filter((rate, i) => rate !== rates[i - 1]),
  };
};

/** Where the pages of a whole file begin, and its end. */
const pageStarts = (bytes: Uint8Array): number[] => {
  const buffer = Buffer.from(bytes);
  const starts: number[] = [];
  for (let at = buffer.indexOf('OggS\0'); at >= 0; at = buffer.indexOf('OggS\0', at + 1))
    starts.push(at);
  return [...starts, bytes.length];
};

const pagesOf = (bytes: Uint8Array) => Array.fromAsync(readPages(readerOf(bytes)));

const heard = new Map<string, ReturnType<typeof hear>>();

/** What a whole fixture holds, decoded once for all runs of a property. */
const hearWhole = (name: string): ReturnType<typeof hear> => {
  const known = heard.get(name) ?? hear(fixture(name));
  heard.set(name, known);
  return known;
};

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('Ogg Vorbis', () => {
  it.each([
    ['vorbis-8k.ogg', 8_000, 1],
    ['vorbis-22k.ogg', 22_050, 1],
    ['speech-vorbis.ogg', 44_100, 3.52],
  ] as const)('has the length of its source: %s', async (name, rateHz, seconds) => {
    const { samples, rates } = await hear(fixture(name));
    expect(rates).toEqual([rateHz]);
    expect(Math.abs(samples.length - rateHz * seconds)).toBeLessThanOrEqual(rateHz / 100);
  });

  it('of any chain of cut streams gives what each of them holds', async () => {
    const piece = fc.record({ name: fc.constantFrom(...FIXTURES), cut: fc.option(share) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 4 }), async (pieces) => {
        const files = pieces.map(({ name, cut }) => {
          const whole = fixture(name);
          return { name, bytes: whole.subarray(0, Math.ceil((cut ?? 1) * whole.length)) };
        });
        const expected: Float32Array[] = [];
        for (const [i, { name, bytes }] of files.entries()) {
          const whole = await hearWhole(name);
          const end = pageStarts(fixture(name)).findLast((at) => at <= bytes.length)!;
          // Of a page that is cut off, only at the end of a file is it known what belongs to it.
          const own = await hear(i === files.length - 1 ? bytes : bytes.subarray(0, end));
          expect(own.samples).toEqual(whole.samples.subarray(0, own.samples.length));
          expected.push(own.samples);
        }
        const chain = await hear(concat(files.map(({ bytes }) => bytes)));
        expect(chain.samples).toEqual(concatSamples(expected));
      }),
      { numRuns: casesOf(15, 5) },
    );
  });

  it('with a hole gives what is before and behind it, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIXTURES), share, share, async (name, from, to) => {
        const bytes = fixture(name);
        const starts = pageStarts(bytes);
        const [first, last] = [starts[2]!, starts.at(-3)!];
        const [start, end] = [from, to]
          .toSorted((a, b) => a - b)
          .map((part) => Math.round(first + part * (last - first)));
        const whole = (await hearWhole(name)).samples;
        const holed = concat([bytes.subarray(0, start), bytes.subarray(end)]);
        const { samples } = await hear(holed);
        const differs = samples.findIndex((sample, i) => sample !== whole[i]);
        const behind = differs < 0 ? samples.subarray(0, 0) : samples.subarray(differs);
        expect(behind).toEqual(whole.subarray(whole.length - behind.length));
      }),
      { numRuns: casesOf(15, 5) },
    );
  });

  it('is read beside streams that begin with it', async () => {
    const bytes = fixture('vorbis-8k.ogg');
    const [head, ...rest] = pageStarts(bytes).map((at, i, all) => bytes.subarray(at, all[i + 1]));
    const [other] = await pagesOf(fixture('vorbis-22k.ogg'));
    const skeleton = { ...other!, serial: 77, body: new Uint8Array(other!.body.length) };
    const opened = concat([writePage(skeleton), head!, ...rest]);
    expect(await hear(opened)).toEqual(await hear(bytes));
    const twin = writePage({ ...other!, flags: FLAG_BEGIN, serial: 78 });
    expect(await hear(concat([twin, head!, ...rest]))).toEqual(await hear(bytes));
  });

  it('that starts before its time zero loses what is before it', async () => {
    const pages = await pagesOf(fixture('vorbis-8k.ogg'));
    const later = pages.map((page) =>
      writePage(page.granule > 0 ? { ...page, granule: page.granule - 100 } : page),
    );
    const { samples } = await hear(concat(later));
    expect(samples).toEqual((await hear(fixture('vorbis-8k.ogg'))).samples.subarray(100));
  });

  it('with damage in its headers that no checksum shows ends in an AppError or in sound', async () => {
    const pages = await pagesOf(fixture('vorbis-8k.ogg'));
    const flip = fc.tuple(fc.nat(1), share, fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 5 }), async (flips) => {
        const bodies = pages.map(({ body }) => Uint8Array.from(body));
        for (const [page, at, value] of flips) {
          const body = bodies[page]!;
          body[Math.floor(at * (body.length - 1))] = value;
        }
        await hear(concat(pages.map((page, i) => writePage({ ...page, body: bodies[i]! }))));
      }),
      { numRuns: casesOf(25) },
    );
  });

  it('of long pages lets others run', async () => {
    const pages = await pagesOf(fixture('speech-vorbis.ogg'));
    const { turns, worstBlockMs } = await watchEventLoop(() => hear(fixture('speech-vorbis.ogg')));
    expect(turns, `worst block ${worstBlockMs} ms`).toBeGreaterThan(pages.length);
  });
});
