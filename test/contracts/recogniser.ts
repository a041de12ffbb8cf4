import { expect } from 'vitest';
import type {
  Recogniser,
  Recognition,
  RecognitionResult,
  Utterance,
} from '../../src/ports/recogniser.ts';
import { WORD_PACKETS, speechOf, wordsOf } from '../fakes/recogniser.ts';
import type { Contract } from './contract.ts';

const WORDS = ['we', 'meet', 'at', 'nine', 'tomorrow'];
const DEADLINE_MS = 60_000;

/** One recognition, with all that it reports. */
interface Started {
  readonly recognition: Recognition;
  readonly partials: RecognitionResult[];
  readonly finals: { readonly result: RecognitionResult; readonly throughSequence: number }[];
  readonly stop: AbortController;
}

const start = (recogniser: Recogniser): Started => {
  const stop = new AbortController();
  const partials: RecognitionResult[] = [];
  const finals: Started['finals'] = [];
  const recognition = recogniser.start({
    hints: async () => ({ hotwords: [] }),
    signal: stop.signal,
    partial: (result) => void partials.push(result),
    final: (result, throughSequence) => void finals.push({ result, throughSequence }),
  });
  return { recognition, partials, finals, stop };
};

/** Long enough for whatever a recogniser without a network has to do. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

/** Shows a recognition the utterance as it grows. */
const grow = async ({ recognition }: Started, whole: Utterance): Promise<void> => {
  for (let packets = WORD_PACKETS; packets <= whole.packets.length; packets += WORD_PACKETS / 2) {
    recognition.grow(speechOf(WORDS, { packets }));
    await settle();
  }
};

/** Whatever becomes of a promise in a moment. */
const soon = async <T>(promise: Promise<T>): Promise<T | 'nothing'> =>
  Promise.race([promise, settle().then(() => 'nothing' as const)]);

export const recogniserContract: Contract<Recogniser> = {
  'recognises an utterance that it did not see grow': async (recogniser) => {
    const { recognition, partials, finals } = start(recogniser);
    const result = await recognition.finish(speechOf(WORDS), DEADLINE_MS);
    expect(wordsOf(result.text)).toEqual(WORDS);
    expect(result.confidence).toBeGreaterThanOrEqual(0);
    expect(result.confidence).toBeLessThanOrEqual(1);
    expect([partials, finals]).toEqual([[], []]);
  },

  'recognises an utterance that it saw grow': async (recogniser) => {
    const one = start(recogniser);
    const whole = speechOf(WORDS);
    await grow(one, whole);
    const { text } = await one.recognition.finish(whole, DEADLINE_MS);
    expect(wordsOf(text)).toEqual(WORDS);
  },

  'shows certain text that only grows, where it wants to see utterances grow': async (
    recogniser,
  ) => {
    const one = start(recogniser);
    await grow(one, speechOf(WORDS));
    const texts = one.partials.map(({ text }) => text);
    expect(texts.length > 0).toBe(recogniser.growEveryMs > 0);
    for (const [at, text] of texts.entries()) {
      expect(text.startsWith(texts[at - 1] ?? '')).toBe(true);
      expect(WORDS.join(' ').startsWith(text)).toBe(true);
    }
  },

  'reports nothing more once it was asked to finish': async (recogniser) => {
    const one = start(recogniser);
    const whole = speechOf(WORDS);
    await grow(one, whole);
    const before = one.partials.length;
    const result = one.recognition.finish(whole, DEADLINE_MS);
    one.recognition.grow(whole);
    await result;
    await settle();
    expect(one.partials).toHaveLength(before);
    expect(one.finals).toEqual([]);
  },

  'recognises no more than is left of an utterance whose end was cut off': async (recogniser) => {
    const one = start(recogniser);
    await grow(one, speechOf(WORDS));
    const cut = speechOf(WORDS, { packets: 3 * WORD_PACKETS });
    const { text } = await one.recognition.finish(cut, DEADLINE_MS);
    expect(wordsOf(text)).toEqual(WORDS.slice(0, 3));
  },

  'takes a packet that comes late at its place': async (recogniser) => {
    const one = start(recogniser);
    const whole = speechOf(WORDS);
    const { packets } = whole;
    one.recognition.grow({
      ...whole,
      packets: [...packets.slice(0, WORD_PACKETS), ...packets.slice(2 * WORD_PACKETS)],
    });
    await settle();
    const { text } = await one.recognition.finish(whole, DEADLINE_MS);
    expect(wordsOf(text)).toEqual(WORDS);
  },

  'recognises the same utterance several times side by side': async (recogniser) => {
    const grown = start(recogniser);
    const whole = speechOf(WORDS);
    await grow(grown, whole);
    const others = [start(recogniser), start(recogniser)];
    const results = await Promise.all(
      [grown, ...others].map(async ({ recognition }) => recognition.finish(whole, DEADLINE_MS)),
    );
    expect(results.map(({ text }) => wordsOf(text))).toEqual([WORDS, WORDS, WORDS]);
  },

  'finds no more than one end, behind a packet that it was given, and stops there': async (
    recogniser,
  ) => {
    const one = start(recogniser);
    const paused = speechOf(WORDS, { pauseAfter: 2 });
    for (let count = WORD_PACKETS; count <= paused.packets.length; count += WORD_PACKETS / 2) {
      one.recognition.grow({ ...paused, packets: paused.packets.slice(0, count) });
      await settle();
    }
    expect(one.finals.length).toBeLessThanOrEqual(1);
    const [final] = one.finals;
    if (!final) return;
    const at = paused.packets.findIndex(({ sequence }) => sequence === final.throughSequence);
    expect(at).toBeGreaterThanOrEqual(0);
    const covered = WORDS.slice(0, Math.round(at / WORD_PACKETS));
    expect(wordsOf(final.result.text)).toEqual(covered.slice(0, 2));
    const shown = one.partials.at(-1)?.text ?? '';
    expect(final.result.text.startsWith(shown)).toBe(true);
  },

  'stops at once when nobody wants the result any more': async (recogniser) => {
    const one = start(recogniser);
    const whole = speechOf(WORDS);
    one.recognition.grow(speechOf(WORDS, { packets: 2 * WORD_PACKETS }));
    one.stop.abort(new Error('not wanted'));
    const before = one.partials.length;
    one.recognition.grow(whole);
    const outcome = one.recognition.finish(whole, DEADLINE_MS).catch(() => 'rejected' as const);
    expect(await soon(outcome)).toBe('rejected');
    expect(one.partials).toHaveLength(before);
    expect(one.finals).toEqual([]);
  },
};
