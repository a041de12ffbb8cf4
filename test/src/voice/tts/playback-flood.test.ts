import { describe, expect, it } from 'vitest';
import { spokenMs } from '../../../../src/voice/tts/speech-item.ts';
import { createStage, itemOf } from './playback-harness.ts';

/** Lines of a busy chat: 13 letters or 0.9 s on average. */
const LINES = [
  'that was close',
  'no way, really?',
  'wait for me',
  'who is at the gate?',
  'so good',
];
const PEOPLE = 8;
const EVERY_MS = 250;
const LONGEST_WAIT_MS = 20_000;

/** A speaker that starts after 0.4 s and speaks as fast as people do. */
const realistic = ({ text }: { readonly text: string }) => ({
  latencyMs: 400,
  lengthMs: spokenMs(text),
});

const flood = async (count: number, people = PEOPLE) => {
  const stage = createStage(realistic);
  const written = new Map<string, { readonly by: string; readonly atMs: number }>();
  for (let at = 0; at < count; at += 1) {
    const by = `${at % people}`;
    const text = LINES[at % LINES.length]!;
    written.set(`${at}`, { by, atMs: stage.clock.nowMs() });
    stage.playback.add(itemOf(text, { id: `${at}`, by: { id: by, name: `Person ${by}` } }));
    await stage.clock.advance(EVERY_MS);
  }
  await stage.clock.advance(60_000);
  const heard = stage.began.map(({ id, atMs }) => ({
    number: Number(id),
    ...written.get(id)!,
    waitedMs: atMs - written.get(id)!.atMs,
  }));
  return { stage, heard };
};

describe('a flood of 40 messages in 10 s from eight people', () => {
  it('is heard by half at least, each within 20 s', async () => {
    const { heard } = await flood(40);
    expect(heard.length).toBeGreaterThanOrEqual(20);
    for (const { waitedMs } of heard) expect(waitedMs).toBeLessThanOrEqual(LONGEST_WAIT_MS);
  });

  it('is fair: everybody is heard, nobody with more than a fifth of it', async () => {
    const { heard } = await flood(40);
    const shares = Array.from(
      { length: PEOPLE },
      (_, by) => heard.filter((one) => one.by === `${by}`).length,
    );
    expect(Math.min(...shares)).toBeGreaterThan(0);
    expect(Math.max(...shares)).toBeLessThanOrEqual(heard.length / 5);
  });

  it('keeps the newest line of everybody, and the order of each', async () => {
    const { heard } = await flood(40);
    for (let by = 0; by < PEOPLE; by += 1) {
      const own = heard.filter((one) => one.by === `${by}`).map(({ number }) => number);
      expect(own.at(-1)).toBe(40 - PEOPLE + by);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it('merges the lines of one person', async () => {
    const { stage, heard } = await flood(40);
    const turns = stage.said().filter((text) => text.startsWith('Person'));
    expect(turns.length).toBeLessThan(heard.length);
  });
});

it('a flood by one person ends with the newest line', async () => {
  const { heard } = await flood(60, 1);
  expect(heard.at(-1)!.number).toBe(59);
  expect(heard.length).toBeGreaterThanOrEqual(20);
});
